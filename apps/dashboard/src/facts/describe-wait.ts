import { CAP_END_NAMES, describePause, findCapEnd, type Pause } from '@mergexo/core/runs';
import { countOf } from '@mergexo/core/text';
import { formatTime } from '@mergexo/core/timeline';
import { TURN_KIND_NAMES, type Turn } from '@mergexo/core/turns';
import type { FailedReview, Pull, Run } from '@mergexo/state';

export type Situation = {
  run: Pick<Run, 'status' | 'blockedKind' | 'error'> & Partial<Pick<Run, 'schedule' | 'ignoredSince'>>;
  pull: Pick<Pull, 'humanReviewRequired'> | undefined;
  turn: Turn | undefined;
  /** The operator's pause that holds back the issue. */
  pause?: Pause | undefined;
  failedReview?: FailedReview | undefined;
  /** Number of unanswered comments. */
  pending: number;
  now: number;
};

export type Wait = { whom: string; why: string };

/** Describes what a run is waiting for. Call this only for a run that is neither running nor blocked. */
export function describeWait({ run, pull, turn, pause, failedReview, pending, now }: Situation): Wait {
  // A turn that a worker has begun continues despite the pause.
  if (pause !== undefined && !turn?.workerId) return { whom: describePause(pause), why: '' };
  if (turn !== undefined) return describeTurn(turn, pending, now);
  if (run.ignoredSince) return { whom: 'a person', why: 'a person took over the issue' };
  const capEnd = findCapEnd(run.blockedKind);
  if (capEnd !== undefined) return { whom: CAP_END_NAMES[capEnd], why: run.error ?? '' };
  if (run.status === 'ready' && run.schedule && run.error === null) {
    const { score, risk, reason } = run.schedule;
    const rank = score === null ? '' : ` (score ${score}, risk ${risk})`;
    return { whom: 'the scheduler', why: `${reason ?? 'starts next'}${rank}` };
  }
  if (run.status === 'ready') return { whom: 'the poller', why: 'the first turn starts next' };
  if (run.status === 'awaiting_issue_followup')
    return { whom: 'a reply on the issue', why: run.error ?? 'no reason was recorded' };
  if (pending > 0)
    return { whom: 'the poller', why: `${countComments(pending)}; a turn starts at the next poll` };
  if (pull?.humanReviewRequired) {
    const why = failedReview
      ? `the AI review failed: ${failedReview.reason}`
      : 'the AI review stopped; a person must review the change';
    return { whom: 'a human review', why };
  }
  if (pull === undefined) return { whom: 'the next poll', why: 'MergeXO has not found the pull request yet' };
  return { whom: 'comments or the merge', why: 'every comment is answered' };
}

function describeTurn(turn: Turn, pending: number, now: number): Wait {
  const name = `next turn: ${TURN_KIND_NAMES[turn.kind]}`;
  const about = pending === 0 ? name : `${name}, ${countComments(pending)}`;
  if (turn.notBefore === null || turn.notBefore <= now) return { whom: 'a free worker', why: about };
  const time = formatTime(turn.notBefore);
  return { whom: `the retry at ${time}`, why: `${about}. Last attempt: ${turn.reason ?? 'failed'}` };
}

export function countComments(count: number): string {
  return countOf(count, 'unanswered comment');
}
