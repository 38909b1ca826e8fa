import { isReadyToAnswer } from './is-ready-to-answer.js';
import type { EventKind, ReviewState } from './remark.js';

const DEBOUNCE_MS = 5_000;
const said = (kind: EventKind, reviewId: number | null = null) => ({ seenAt: 0, kind, reviewId });

describe('comments that were just made', () => {
  it.each<[string, ReturnType<typeof said>[], ReviewState | null, boolean]>([
    ['a comment', [said('issue')], null, false],
    ['a review with text', [said('review_summary')], 'commented', true],
    ['a single line comment', [said('review', 7)], 'commented', false],
    ['a line comment whose review was not read yet', [said('review', 7)], null, false],
    ['two single line comments', [said('review', 7), said('review', 8)], 'commented', false],
    ['line comments without a review', [said('review'), said('review')], null, false],
    ['a review with two line comments', [said('review', 7), said('review', 7)], 'commented', true],
    ['an approval with a line comment', [said('review', 7)], 'approved', true],
    [
      'a rejection with a line comment, and another comment',
      [said('issue'), said('review', 7)],
      'changes_requested',
      true,
    ],
    ['a dismissed review with a line comment', [said('review', 7)], 'dismissed', false],
  ])('wait for further comments, unless they are complete: %s', (_what, events, state, isReady) => {
    const at = (now: number) =>
      isReadyToAnswer(events, { now, debounceMs: DEBOUNCE_MS, stateOf: () => state });
    expect([at(1), at(DEBOUNCE_MS)]).toEqual([isReady, true]);
  });

  it('wait at most six debounce periods while others keep commenting', () => {
    const events = (now: number) => [said('issue'), { ...said('issue'), seenAt: now }];
    const at = (now: number) => isReadyToAnswer(events(now), { now, debounceMs: DEBOUNCE_MS });
    expect([at(6 * DEBOUNCE_MS - 1), at(6 * DEBOUNCE_MS)]).toEqual([false, true]);
  });
});
