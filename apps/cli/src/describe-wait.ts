import { formatSince } from '@mergexo/core/health';
import { isWaitingToRetry } from '@mergexo/core/ledger';
import { CAP_END_NAMES, describePause, findCapEnd, findPause, type Pause } from '@mergexo/core/runs';
import { countOf } from '@mergexo/core/text';
import { attemptOf, type Turn } from '@mergexo/core/turns';
import { type FailedReview, type Pull, type Run, readFailedReview, type State } from '@mergexo/state';

export type Situation = {
  run: Pick<Run, 'status' | 'blockedKind' | 'error'> & Partial<Pick<Run, 'schedule' | 'ignoredSince'>>;
  pull: Pick<Pull, 'status' | 'blockedKind' | 'error' | 'humanReviewRequired' | 'prNumber'> | undefined;
  turn: Turn | undefined;
  /** The failed AI review of the current head, if any. */
  failedReview?: FailedReview | undefined;
  /** The pause that holds the work back, if any. */
  pause?: Pause | undefined;
  /** Number of unanswered comments. */
  pending: number;
  now: number;
};

export function describeWait(situation: Situation): string {
  const { run, pull, turn, pending, failedReview, pause } = situation;
  if (pull?.status === 'blocked') return describeBlock(pull, pending);
  if (run.status === 'blocked') return describeBlock(run, pending);
  // A turn that a worker has begun continues despite the pause.
  if (pause !== undefined && !turn?.workerId) return describePause(pause);
  if (turn !== undefined) return describeTurn(turn, situation);
  if (run.ignoredSince) return 'the person who took over';
  const capEnd = findCapEnd(run.blockedKind);
  if (capEnd !== undefined) return `${CAP_END_NAMES[capEnd]}: ${run.error}`;
  if (run.status === 'ready' && run.schedule && run.error === null)
    return `the scheduler: ${run.schedule.reason ?? 'starts next'}`;
  if (run.status === 'ready') return 'its first turn';
  if (run.status === 'awaiting_issue_followup')
    return `a comment on the issue: ${run.error ?? 'no reason was recorded'}`;
  if (pending > 0) return `the next poll: ${countComments(pending)}`;
  if (pull?.humanReviewRequired)
    return `a human review${failedReview ? `: the AI review failed: ${failedReview.reason}` : ''}`;
  return pull === undefined ? 'the next poll' : 'comments or a merge';
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
  const retryAt = readRetryTime(turn, now);
  if (retryAt !== undefined)
    return `the retry at ${formatSince(retryAt, now)} (${about}): ${turn.reason ?? 'the last attempt failed'}`;
  switch (turn.state) {
    case 'running':
      return `the agent (${about}, attempt ${attemptOf(turn)})`;
    case 'frozen':
      return `the push (${about})`;
    case 'speaking':
      return `updates to be posted to GitHub (${about})`;
    default:
      return `a free worker (${about})`;
  }
}

/** Describes a status for people. A run that is waiting for a retry is not reported as running. */
export function describeStatus({
  run,
  turn,
  now,
}: Pick<Situation, 'turn' | 'now'> & { run: Pick<Run, 'status'> }): string {
  const retryAt = run.status === 'blocked' ? undefined : turn && readRetryTime(turn, now);
  return retryAt === undefined ? run.status : `waiting to retry at ${formatSince(retryAt, now)}`;
}

function readRetryTime(turn: Turn, now: number): number | undefined {
  return isWaitingToRetry(turn, now) ? (turn.notBefore ?? undefined) : undefined;
}

export function readSituation(state: State, run: Run, now: number): Situation {
  const { repoId, prNumber, id } = run;
  const pull = prNumber === null ? undefined : state.readPull(repoId, prNumber);
  const pending =
    prNumber === null
      ? 0
      : state.listEventsOfThread(repoId, prNumber).filter(({ processedAt }) => processedAt === null).length;
  const failedReview = pull && readFailedReview(state, pull);
  const pause = findPause(state.listPauses(), run);
  return { run, pull, turn: state.readLiveTurnOfRun(id), failedReview, pause, pending, now };
}

export function countComments(count: number): string {
  return countOf(count, 'unanswered comment');
}
