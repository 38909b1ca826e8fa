import type { State } from './create-state.js';
import type { Pull } from './tables/pulls.js';

export type FailedReview = { headSha: string; reason: string };

/** Returns the AI review of the current head, if it failed and nobody has resumed the review loop since. */
export function readFailedReview(
  state: Pick<State, 'listReviewRounds' | 'readTurn'>,
  pull: Pick<Pull, 'repoId' | 'prNumber' | 'headSha' | 'resumedAt'>,
): FailedReview | undefined {
  const round = state
    .listReviewRounds(pull.repoId, pull.prNumber)
    .find(({ headSha }) => headSha === pull.headSha);
  if (round?.state !== 'failed' || (round.completedAt ?? 0) <= pull.resumedAt) return undefined;
  const reason = round.turnKey === null ? null : state.readTurn(round.turnKey)?.reason;
  return { headSha: round.headSha, reason: reason ?? 'no reason was recorded' };
}
