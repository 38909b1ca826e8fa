import { type HeldReason, renderHeldReason } from './held-reason.js';

describe('renderHeldReason', () => {
  it.each<[HeldReason, string]>([
    [
      { kind: 'overlaps', issueNumber: 7, prNumber: 12, paths: ['packages/api'] },
      'waits for #12: both touch packages/api',
    ],
    [
      { kind: 'overlaps', issueNumber: 7, prNumber: null, paths: ['a', 'b', 'c', 'd', 'e'] },
      'waits for #7: both touch a, b, c and 2 more',
    ],
    [
      { kind: 'depends-on', unmet: [3, 'docs/design/4-x.md'], idle: [] },
      'waits for #3 and docs/design/4-x.md, which it depends on',
    ],
    [
      { kind: 'depends-on', unmet: [3, 99], idle: [99] },
      'waits for #3 and #99, which it depends on; no implementation of #99 is under way',
    ],
    [{ kind: 'dependency-cycle', members: [3] }, 'waits for itself: take #3 out of its depends_on'],
    [
      { kind: 'dependency-cycle', members: [3, 4, 5] },
      'waits in a circle: #3, #4 and #5 depend on each other; take one out of a depends_on',
    ],
    [
      { kind: 'too-many-open-prs', open: 10, max: 10 },
      'waits for people: 10 pull requests are open, at most 10 may be (limits.max_open_prs)',
    ],
    [{ kind: 'no-free-slot', place: 2 }, 'waits for a free slot: number 2 in line'],
  ])('%j', (reason, words) => {
    expect(renderHeldReason(reason)).toBe(words);
  });
});
