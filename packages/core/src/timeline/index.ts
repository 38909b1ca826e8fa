export { describeEvent } from './describe-event.js';
export { buildTurnEvent, type RuntimeEvent, type RuntimeEventType } from './runtime-event.js';
export { formatTime, toReadable } from './to-readable.js';
export { TRIMMED_EVENTS } from './trimmed-events.js';
