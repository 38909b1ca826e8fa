import { attemptOf, formatTime, type Turn } from '@mergexo/core';
import type { Pull, Run } from '@mergexo/state';

export type Situation = {
  run: Pick<Run, 'status' | 'blockedKind' | 'error'> & Partial<Pick<Run, 'schedule' | 'ignoredSince'>>;
  pull: Pick<Pull, 'status' | 'blockedKind' | 'error' | 'humanReviewRequired' | 'prNumber'> | undefined;
  turn: Turn | undefined;
  /** Comments without an answer yet. */
  pending: number;
  now: number;
};

/** What has to happen for a run to go on, in words. */
export function describeWait(situation: Situation): string {
  const { run, pull, turn, pending } = situation;
  if (pull?.status === 'blocked') return describeBlock(pull, pending);
  if (run.status === 'blocked') return describeBlock(run, pending);
  if (turn !== undefined) return describeTurn(turn, situation);
  if (run.ignoredSince) return 'a person: somebody took it over';
  if (run.status === 'ready' && run.schedule && run.error === null)
    return `the scheduler: ${run.schedule.reason ?? 'it starts next'}`;
  if (run.status === 'ready')
    return run.error === null ? 'its first turn' : `room within the limits: ${run.error}`;
  if (run.status === 'awaiting_issue_followup')
    return `a comment on the issue: ${run.error ?? 'no reason was recorded'}`;
  if (pending > 0) return `the next cycle: ${countComments(pending)}`;
  if (pull?.humanReviewRequired) return 'a review by people';
  return pull === undefined ? 'the next cycle' : 'people: comments or the merge';
}

function describeBlock(
  { blockedKind, error }: { blockedKind: string | null; error: string | null },
  pending: number,
): string {
  const about = [blockedKind ?? 'blocked', ...(pending === 0 ? [] : [countComments(pending)])].join(', ');
  return `an operator (${about}): ${error ?? 'no reason was recorded'}`;
}

function describeTurn(turn: Turn, { pending, now }: Situation): string {
  const about = pending === 0 ? turn.kind : `${turn.kind}, ${countComments(pending)}`;
  switch (turn.state) {
    case 'running':
      return `the agent (${about}, attempt ${attemptOf(turn)})`;
    case 'frozen':
      return `the push (${about})`;
    case 'speaking':
      return `GitHub to take what is said (${about})`;
    default: {
      if (turn.notBefore === null || turn.notBefore <= now) return `a free worker (${about})`;
      const time = formatTime(turn.notBefore);
      return `another try after ${time} (${about}): ${turn.reason ?? 'the last one failed'}`;
    }
  }
}

function countComments(count: number): string {
  return count === 1 ? '1 comment waits' : `${count} comments wait`;
}
