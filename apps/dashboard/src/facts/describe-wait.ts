import { formatTime } from '@mergexo/core/timeline';
import type { Turn } from '@mergexo/core/turns';
import type { Pull, Run } from '@mergexo/state';

export type Situation = {
  run: Pick<Run, 'status' | 'error'> & Partial<Pick<Run, 'schedule' | 'ignoredSince'>>;
  pull: Pick<Pull, 'humanReviewRequired'> | undefined;
  turn: Turn | undefined;
  /** Comments without an answer yet. */
  pending: number;
  now: number;
};

export type Wait = { whom: string; why: string };

/** Whom a run waits for that neither runs nor is blocked, and what has to happen for it to go on. */
export function describeWait({ run, pull, turn, pending, now }: Situation): Wait {
  if (turn !== undefined) return describeTurn(turn, pending, now);
  if (run.ignoredSince) return { whom: 'a person', why: 'somebody took it over' };
  if (run.status === 'ready' && run.schedule && run.error === null) {
    const { score, risk, reason } = run.schedule;
    return { whom: 'the scheduler', why: `${reason ?? 'it starts next'} (score ${score}, risk ${risk})` };
  }
  if (run.status === 'ready')
    return run.error === null
      ? { whom: 'the poller', why: 'its first turn opens next' }
      : { whom: 'room within the limits', why: run.error };
  if (run.status === 'awaiting_issue_followup')
    return { whom: 'people: a comment on the issue', why: run.error ?? 'no reason was recorded' };
  if (pending > 0) return { whom: 'the poller', why: `${countComments(pending)}; a turn opens next` };
  if (pull?.humanReviewRequired) return { whom: 'people: a review', why: 'it is for people to decide' };
  if (pull === undefined) return { whom: 'the poller', why: 'the next cycle' };
  return { whom: 'people: comments or the merge', why: 'everything that was said is answered' };
}

function describeTurn(turn: Turn, pending: number, now: number): Wait {
  const about = pending === 0 ? turn.kind : `${turn.kind}, ${countComments(pending)}`;
  if (turn.notBefore === null || turn.notBefore <= now) return { whom: 'a free worker', why: about };
  const time = formatTime(turn.notBefore);
  return { whom: `the retry at ${time}`, why: `${about}: ${turn.reason ?? 'the last attempt failed'}` };
}

export function countComments(count: number): string {
  return count === 1 ? '1 comment waits' : `${count} comments wait`;
}
