export { createManualClock } from './basics/clock.js';
export type { FaultInput } from './faults/fault.js';
export type { FaultHandle } from './faults/faults.js';
export type { HistoryEntry } from './history/history.js';
export { GITHUB_LIMITS } from './limits/limiter.js';
export type { Person } from './people/people.js';
export { startTwin, type Twin } from './start/start-twin.js';
