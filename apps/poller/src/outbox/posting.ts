import type { OutboxMemory } from './outbox-memory.js';
import type { OutboxTools } from './outbox-tools.js';

/** The tools of one round of the outbox, and what it remembers of earlier rounds. */
export type Posting = OutboxTools & { memory: OutboxMemory };

/** The action moved on, or its thread waits for a later round. */
export type Progress = 'moved' | 'waits';
