import { isCarried, type Turn } from '../turns/turn.js';
import { countTrouble } from './step.js';

/** The state of a turn's job in Redis. */
export type JobState =
  | { kind: 'present' }
  | { kind: 'missing' }
  | { kind: 'completed' }
  | { kind: 'failed'; reason: string };

/** Gives a turn its next job if the last one is missing or has ended; undefined if nothing changes. */
export function requeueTurn(turn: Turn, job: JobState, now: number): Turn | undefined {
  if (!isCarried(turn)) return undefined;
  switch (job.kind) {
    case 'present':
      return undefined;
    case 'missing':
    case 'completed':
      // The holder keeps its attempt. The `begin` of the new job checks whether the holder is alive.
      return { ...turn, epoch: turn.epoch + 1 };
    case 'failed': {
      const counted = countTrouble(turn, { kind: 'crash', reason: job.reason, now });
      return counted.state === 'blocked' ? counted : { ...counted, epoch: turn.epoch + 1 };
    }
  }
}

export function queueTurn(turn: Turn): Turn | undefined {
  if (turn.state !== 'open') return undefined;
  return { ...turn, state: 'queued', epoch: turn.epoch + 1 };
}
