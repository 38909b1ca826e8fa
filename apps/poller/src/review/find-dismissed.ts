import type { GitHub } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import type { Snapshot } from '../feedback/list-pull.js';
import type { Repo } from '../repo.js';

type Tools = { state: State; github: Pick<GitHub, 'fetchReviewComment' | 'fetchResolvedComments'> };

/** Findings that people took back on GitHub: they dismissed the review, or resolved or deleted the comment that carries one. */
export async function findDismissed(
  { state, github }: Tools,
  repo: Repo,
  { repoId, prNumber }: Pull,
  { reviews, reviewComments }: Pick<Snapshot, 'reviews' | 'reviewComments'>,
): Promise<number[]> {
  const gone = new Set(reviews.filter((review) => review.state === 'dismissed').map(({ id }) => id));
  const rounds = state
    .listReviewRounds(repoId, prNumber)
    .filter(({ remoteId }) => remoteId !== null && gone.has(remoteId))
    .map(({ id }) => id);
  const present = new Set(reviewComments.map(({ id }) => id));
  const dismissed: number[] = [];
  const open = state
    .listReviewFindings(repoId, prNumber)
    .filter(({ status }) => status !== 'dismissed' && status !== 'fixed');
  const resolved = open.some(({ remoteId }) => remoteId !== null)
    ? await github.fetchResolvedComments(repo.config.fullName, prNumber)
    : new Set<number>();
  // What we resolved ourselves may have been found again since.
  const isResolvedByPeople = (remoteId: number): boolean =>
    resolved.has(remoteId) && state.readActionByRemoteId(repoId, ['resolve_thread'], remoteId) === undefined;
  for (const { id, remoteId, lastRoundId } of open) {
    const isTakenBack =
      (lastRoundId !== null && rounds.includes(lastRoundId)) ||
      (remoteId !== null && isResolvedByPeople(remoteId)) ||
      (remoteId !== null &&
        !present.has(remoteId) &&
        // A list may lag behind; the comment itself tells.
        (await github.fetchReviewComment(repo.config.fullName, remoteId)) === null);
    if (isTakenBack) dismissed.push(id);
  }
  return dismissed;
}
