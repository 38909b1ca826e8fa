import { findDistrust } from '@mergexo/core/runs';
import type { GitHub, Resolver } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import type { Repo, Self } from '../tools.js';
import type { Snapshot } from './list-pull.js';

type Tools = { state: State; viewer: Self; github: Pick<GitHub, 'fetchReviewComment'> };

/** Maps each comment in a resolved thread to the account that resolved it. Makes no request without line comments. */
export async function fetchResolved(
  { github }: { github: Pick<GitHub, 'fetchResolvedComments'> },
  repo: Repo,
  { pull, reviewComments }: Pick<Snapshot, 'pull' | 'reviewComments'>,
): Promise<ReadonlyMap<number, Resolver>> {
  if (reviewComments.length === 0) return new Map();
  return github.fetchResolvedComments(repo.config.fullName, pull.number);
}

type Seen = {
  pull: Pull;
  snapshot: Pick<Snapshot, 'reviews' | 'reviewComments'>;
  resolved: ReadonlyMap<number, Resolver>;
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
      (remoteId !== null &&
        isResolvedByPeople(tools, repo, { remoteId, resolver: resolved.get(remoteId) })) ||
      (remoteId !== null &&
        !present.has(remoteId) &&
        // Reads the comment itself, because the list may lag.
        (await github.fetchReviewComment(repo.config.fullName, remoteId)) === null);
    if (isTakenBack) dismissed.push(id);
  }
  return dismissed;
}

/**
 * True if an allowed person resolved the thread. Threads that MergeXO resolved with one of its logins do not count, also
 * if a person uses that login, or did so before MergeXO got another one.
 */
function isResolvedByPeople(
  { state, viewer }: Tools,
  { id, config }: Repo,
  { remoteId, resolver }: { remoteId: number; resolver: Resolver | undefined },
): boolean {
  if (resolver === undefined) return false;
  const { login, id: accountId } = resolver;
  const trusted = [...config.allowedUsers, ...config.operatorLogins];
  if (findDistrust({ id: 0, login, type: 'User' }, trusted) !== undefined) return false;
  const isOurLogin =
    accountId === null ? login.toLowerCase() === viewer.login.toLowerCase() : viewer.ids.has(accountId);
  return !isOurLogin || state.readActionByRemoteId(id, ['resolve_thread'], remoteId) === undefined;
}
