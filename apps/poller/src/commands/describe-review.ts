import { decideReview } from '@mergexo/core/review';
import type { Pull, State } from '@mergexo/state';
import { readProgress } from '../lifecycle/review/read-progress.js';
import type { Repo } from '../tools.js';

const NEXT = {
  review: 'MergeXO reviews the head commit next',
  fix: 'MergeXO fixes the findings next',
  escalate: 'MergeXO asks a person to decide next',
  lift: 'people dismissed every blocking finding',
};

/** Renders the review line of the reply to `/mergexo status`. */
export function describeReview(state: State, repo: Repo, pull: Pull): string {
  const progress = readProgress({ state }, repo, pull);
  const decision = decideReview(progress);
  const rounds = progress.rounds.filter(({ verdict }) => verdict !== null).length;
  const why = decision.kind === 'none' ? decision.reason : NEXT[decision.kind];
  return `${rounds} ${rounds === 1 ? 'round' : 'rounds'}; ${why}`;
}
