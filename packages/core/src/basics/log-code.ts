import type { RuntimeEventType } from '../timeline/runtime-event.js';

/** The stable field `code` of a log line, for programs. Messages are for people and may change. */
export type LogCode = RuntimeEventType | 'program_ready' | 'redis_up';
