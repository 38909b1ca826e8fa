import { answersAll, answersOnce } from './answers.js';
import { neverRewrites, pushesFirst, silentAfterClose, silentAfterTakeover } from './boundaries.js';
import type { Case, Judge } from './judge.js';
import { opensPullsOnce, postsOnce, postsOnePlan, signsEveryPost } from './posts-once.js';

/** Every judge, under the id of the promise that it judges in docs/guarantees.md. */
const JUDGES: readonly (readonly [string, Judge])[] = [
  ['posts-once', postsOnce],
  ['posts-signed', signsEveryPost],
  ['pulls-once', opensPullsOnce],
  ['one-plan', postsOnePlan],
  ['answers-once', answersOnce],
  ['answers-all', answersAll],
  ['append-only', neverRewrites],
  ['push-first', pushesFirst],
  ['closed-silent', silentAfterClose],
  ['takeover-silent', silentAfterTakeover],
  ['valid-requests', ({ story }) => story.violations],
  ['no-bugs', ({ world }) => world.bugs],
  ['finishes', ({ played }) => played.open.map((text) => `still open at the end: ${text}`)],
];

export function judge(about: Case): string[] {
  return JUDGES.flatMap(([id, decide]) => decide(about).map((problem) => `${id}: ${problem}`));
}
