import { findDistrust } from '@mergexo/core/runs';
import type { GitHub } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import type { Repo, Self } from '../tools.js';
import type { Snapshot } from './list-pull.js';

type Tools = {
  state: State;
  viewer: Self;
  github: Pick<GitHub, 'fetchReviewComment' | 'fetchResolvedComments'>;
};

/** Returns findings that people dismissed by dismissing the review, or by resolving or deleting the comment. */
export async function findDismissed(
  tools: Tools,
  repo: Repo,
  {
    pull: { repoId, prNumber },
    snapshot: { reviews, reviewComments },
  }: { pull: Pull; snapshot: Pick<Snapshot, 'reviews' | 'reviewComments'> },
): Promise<number[]> {
  const { state, github } = tools;
  const gone = new Set(reviews.filter((review) => review.state === 'dismissed').map(({ id }) => id));
  // Only reviews that request changes count, because a branch rule may dismiss approvals after each push.
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
      (remoteId !== null && isResolvedByPeople(tools, repo, { remoteId, login: resolved.get(remoteId) })) ||
      (remoteId !== null &&
        !present.has(remoteId) &&
        // Reads the comment itself, because the list may lag.
        (await github.fetchReviewComment(repo.config.fullName, remoteId)) === null);
    if (isTakenBack) dismissed.push(id);
  }
  return dismissed;
}

/** True if an allowed person resolved the thread. On a shared login, threads that MergeXO resolved do not count. */
function isResolvedByPeople(
  { state, viewer }: Tools,
  { id, config }: Repo,
  { remoteId, login }: { remoteId: number; login: string | undefined },
): boolean {
  if (login === undefined) return false;
  const trusted = [...config.allowedUsers, ...config.operatorLogins];
  if (findDistrust({ id: 0, login, type: 'User' }, trusted) !== undefined) return false;
  const isOurLogin = login.toLowerCase() === viewer.login.toLowerCase();
  return !isOurLogin || state.readActionByRemoteId(id, ['resolve_thread'], remoteId) === undefined;
}
