import type { Snapshot } from '@mergexo/state';

/**
 * True if an operator can skip the AI review of the issue's pull request: a review turn or a review fix
 * turn is in progress, the review waits for a person, or the review has not approved the head commit.
 */
export function canSkipReview({ state }: Pick<Snapshot, 'state'>, repoId: number, issue: number): boolean {
  const pull = state
    .listRunsOfIssue(repoId, issue)
    .flatMap(({ prNumber }) => (prNumber === null ? [] : (state.readPull(repoId, prNumber) ?? [])))
    .find(({ status }) => status === 'awaiting_feedback');
  if (pull === undefined || pull.headSha === null || pull.reviewSkippedSha === pull.headSha) return false;
  const kind = state.readLiveTurnOfRun(pull.runId)?.kind;
  if (kind === 'review' || kind === 'review_fix' || pull.humanReviewRequired) return true;
  const round = state
    .listReviewRounds(repoId, pull.prNumber)
    .findLast(({ headSha }) => headSha === pull.headSha);
  return round !== undefined && round.verdict !== 'approved';
}
