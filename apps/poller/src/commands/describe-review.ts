import { decideReview } from '@mergexo/core/review';
import type { Pull, State } from '@mergexo/state';
import { readProgress } from '../lifecycle/review/read-progress.js';
import type { Repo } from '../tools.js';

const NEXT = {
  review: 'the head is reviewed next',
  fix: 'its findings are mended next',
  escalate: 'a person is asked next',
  lift: 'people dismissed all that blocked it',
};

/** In a line, for whoever asks for the status. */
export function describeReview(state: State, repo: Repo, pull: Pull): string {
  const progress = readProgress({ state }, repo, pull);
  const decision = decideReview(progress);
  const rounds = progress.rounds.filter(({ verdict }) => verdict !== null).length;
  const why = decision.kind === 'none' ? decision.reason : NEXT[decision.kind];
  return `${rounds} ${rounds === 1 ? 'round' : 'rounds'}; ${why}`;
}
