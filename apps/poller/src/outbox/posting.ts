import type { OutboxMemory } from './outbox-memory.js';
import type { OutboxTools } from './outbox-tools.js';

/** The tools of the outbox, and its memory of earlier rounds. */
export type Posting = OutboxTools & { memory: OutboxMemory };

/** `moved`: the action changed. `waits`: its thread waits for a later round. */
export type Progress = 'moved' | 'waits';
