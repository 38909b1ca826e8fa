import { isCarried, type Turn } from '../turns/turn.js';
import { countTrouble } from './step.js';

/** What Redis knows of the job that should carry a turn. */
export type JobState =
  | { kind: 'present' }
  | { kind: 'missing' }
  | { kind: 'completed' }
  | { kind: 'failed'; reason: string };

/** Puts an opened turn on its way, or gives a carried one whose job is gone or over its next job. Undefined: leave it. */
export function requeueTurn(turn: Turn, job: JobState, now: number): Turn | undefined {
  if (!isCarried(turn)) return undefined;
  switch (job.kind) {
    case 'present':
      return undefined;
    case 'missing':
    case 'completed':
      // The holder, if any, keeps its attempt: `begin` of the new job finds out whether it still lives.
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
