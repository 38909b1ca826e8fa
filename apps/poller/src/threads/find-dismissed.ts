import { explainDistrust } from '@mergexo/core/runs';
import type { GitHub } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import type { Repo, Self } from '../tools.js';
import type { Snapshot } from './list-pull.js';

type Tools = {
  state: State;
  viewer: Self;
  github: Pick<GitHub, 'fetchReviewComment' | 'fetchResolvedComments'>;
};

/** Findings that people took back on GitHub: they dismissed the review, or resolved or deleted the comment that carries one. */
export async function findDismissed(
  tools: Tools,
  repo: Repo,
  { repoId, prNumber }: Pull,
  { reviews, reviewComments }: Pick<Snapshot, 'reviews' | 'reviewComments'>,
): Promise<number[]> {
  const { state, github } = tools;
  const gone = new Set(reviews.filter((review) => review.state === 'dismissed').map(({ id }) => id));
  // An approval is also dismissed by a push, where the rules of the branch say so.
  const rounds = state
    .listReviewRounds(repoId, prNumber)
    .filter(
      ({ remoteId, verdict }) => verdict === 'changes_requested' && remoteId !== null && gone.has(remoteId),
    )
    .map(({ id }) => id);
  const present = new Set(reviewComments.map(({ id }) => id));
  const open = state
    .listReviewFindings(repoId, prNumber)
    .filter(({ status }) => status !== 'dismissed' && status !== 'fixed');
  const resolved = open.some(({ remoteId }) => remoteId !== null)
    ? await github.fetchResolvedComments(repo.config.fullName, prNumber)
    : new Map<number, string>();
  const dismissed: number[] = [];
  for (const { id, remoteId, lastRoundId } of open) {
    const isTakenBack =
      (lastRoundId !== null && rounds.includes(lastRoundId)) ||
      (remoteId !== null && isResolvedByPeople(tools, repo, remoteId, resolved.get(remoteId))) ||
      (remoteId !== null &&
        !present.has(remoteId) &&
        // A list may lag behind; the comment itself tells.
        (await github.fetchReviewComment(repo.config.fullName, remoteId)) === null);
    if (isTakenBack) dismissed.push(id);
  }
  return dismissed;
}

/** Under a person's own login, what we resolved ourselves may have been found again since. */
function isResolvedByPeople(
  { state, viewer }: Tools,
  { id, config }: Repo,
  remoteId: number,
  login: string | undefined,
): boolean {
  if (login === undefined) return false;
  const trusted = [...config.allowedUsers, ...config.operatorLogins];
  if (explainDistrust({ id: 0, login, type: 'User' }, trusted) !== undefined) return false;
  const isOurLogin = login.toLowerCase() === viewer.login.toLowerCase();
  return !isOurLogin || state.readActionByRemoteId(id, ['resolve_thread'], remoteId) === undefined;
}
