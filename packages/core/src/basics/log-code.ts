import type { RuntimeEventType } from '../timeline/runtime-event.js';

/** What other programs look for in a log line, as its field `code`. Messages are for people and may change. */
export type LogCode = RuntimeEventType | 'program_ready' | 'redis_up';
