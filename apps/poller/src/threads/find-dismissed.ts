import { findDistrust } from '@mergexo/core/runs';
import type { GitHub } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import type { Repo, Self } from '../tools.js';
import type { Snapshot } from './list-pull.js';

type Tools = { state: State; viewer: Self; github: Pick<GitHub, 'fetchReviewComment'> };

/** Maps each comment in a resolved thread to the login that resolved it. Makes no request without line comments. */
export async function fetchResolved(
  { github }: { github: Pick<GitHub, 'fetchResolvedComments'> },
  repo: Repo,
  { pull, reviewComments }: Pick<Snapshot, 'pull' | 'reviewComments'>,
): Promise<ReadonlyMap<number, string>> {
  if (reviewComments.length === 0) return new Map();
  return github.fetchResolvedComments(repo.config.fullName, pull.number);
}

type Seen = {
  pull: Pull;
  snapshot: Pick<Snapshot, 'reviews' | 'reviewComments'>;
  resolved: ReadonlyMap<number, string>;
};

/** Returns findings that people dismissed by dismissing the review, or by resolving or deleting the comment. */
export async function findDismissed(tools: Tools, repo: Repo, seen: Seen): Promise<number[]> {
  const { repoId, prNumber } = seen.pull;
  const { reviews, reviewComments } = seen.snapshot;
  const { resolved } = seen;
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
