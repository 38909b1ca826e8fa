import { answersAll, answersOnce } from './answers.js';
import { neverRewrites, pushesFirst, silentAfterClose, silentAfterTakeover } from './boundaries.js';
import type { Case, Judge } from './judge.js';
import { dropsCanceled, holdsPauses, obeysOnce, reviewsOnce, servesTrustedOnly } from './orders.js';
import { opensPullsOnce, postsOnce, postsOnePlan, signsEveryPost } from './posts-once.js';

/** Every judge, under the id of the promise that it judges in docs/guarantees.md. */
export const JUDGES: readonly (readonly [string, Judge])[] = [
  ['G-ONCE-1', answersOnce],
  ['G-ONCE-2', opensPullsOnce],
  ['G-ONCE-3', postsOnePlan],
  ['G-ONCE-4', postsOnce],
  ['G-ONCE-5', reviewsOnce],
  ['G-ONCE-6', obeysOnce],
  ['G-LOSS-1', answersAll],
  ['G-HIST-1', neverRewrites],
  ['G-HIST-4', pushesFirst],
  ['G-STOP-1', silentAfterTakeover],
  ['G-STOP-2', silentAfterClose],
  ['G-STOP-3', dropsCanceled],
  ['G-STOP-4', holdsPauses],
  ['G-WHO-1', servesTrustedOnly],
  ['G-WHO-3', signsEveryPost],
  ['G-LIVE-1', ({ played }) => played.open.map((text) => `still open at the end: ${text}`)],
  // Not promises, but signs of a fault: a request that GitHub would refuse, and an error that no code expected.
  ['request', ({ story }) => story.violations],
  ['error', ({ world }) => world.bugs],
];

export function judge(about: Case): string[] {
  return JUDGES.flatMap(([id, decide]) => decide(about).map((problem) => `${id}: ${problem}`));
}
