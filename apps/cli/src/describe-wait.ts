import { formatSince } from '@mergexo/core/health';
import { isWaitingToRetry } from '@mergexo/core/ledger';
import { attemptOf, type Turn } from '@mergexo/core/turns';
import type { Pull, Run, State } from '@mergexo/state';

export type Situation = {
  run: Pick<Run, 'status' | 'blockedKind' | 'error'> & Partial<Pick<Run, 'schedule' | 'ignoredSince'>>;
  pull: Pick<Pull, 'status' | 'blockedKind' | 'error' | 'humanReviewRequired' | 'prNumber'> | undefined;
  turn: Turn | undefined;
  /** The last review of the present head, where no attempt brought one. */
  failedReview?: { headSha: string; reason: string } | undefined;
  /** Comments without an answer yet. */
  pending: number;
  now: number;
};

/** What has to happen for a run to go on, in words. */
export function describeWait(situation: Situation): string {
  const { run, pull, turn, pending, failedReview } = situation;
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
  if (pull?.humanReviewRequired)
    return `a review by people${failedReview ? `: the AI review failed: ${failedReview.reason}` : ''}`;
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
  const retryAt = readRetryTime(turn, now);
  if (retryAt !== undefined)
    return `the retry at ${formatSince(retryAt, now)} (${about}): ${turn.reason ?? 'the last attempt failed'}`;
  switch (turn.state) {
    case 'running':
      return `the agent (${about}, attempt ${attemptOf(turn)})`;
    case 'frozen':
      return `the push (${about})`;
    case 'speaking':
      return `GitHub to take what is said (${about})`;
    default:
      return `a free worker (${about})`;
  }
}

/** The status of a run as people read it: a run whose next attempt is minutes away does not run. */
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

/** All that describes what a run waits for; a run that is over waits for nothing. */
export function readSituation(state: State, run: Run, now: number): Situation {
  const { repoId, prNumber, id } = run;
  const pull = prNumber === null ? undefined : state.readPull(repoId, prNumber);
  const pending =
    prNumber === null
      ? 0
      : state.listEventsOfThread(repoId, prNumber).filter(({ processedAt }) => processedAt === null).length;
  const failedReview = pull && readFailedReview(state, pull);
  return { run, pull, turn: state.readLiveTurnOfRun(id), failedReview, pending, now };
}

function readFailedReview(state: State, pull: Pull): Situation['failedReview'] {
  const round = state
    .listReviewRounds(pull.repoId, pull.prNumber)
    .find(({ headSha }) => headSha === pull.headSha);
  if (round?.state !== 'failed' || (round.completedAt ?? 0) <= pull.resumedAt) return undefined;
  const reason = round.turnKey === null ? null : state.readTurn(round.turnKey)?.reason;
  return { headSha: round.headSha, reason: reason ?? 'no reason was recorded' };
}

function countComments(count: number): string {
  return count === 1 ? '1 comment waits' : `${count} comments wait`;
}
