import { type HeldReason, renderHeldReason } from './held-reason.js';

describe('renderHeldReason', () => {
  it.each<[HeldReason, string]>([
    [
      { kind: 'overlaps', issueNumber: 7, prNumber: 12, paths: ['packages/api'] },
      'overlaps with #12 in packages/api',
    ],
    [
      { kind: 'overlaps', issueNumber: 7, prNumber: null, paths: ['a', 'b', 'c', 'd', 'e'] },
      'overlaps with #7 in a, b, c and 2 more',
    ],
    [
      { kind: 'depends-on', unmet: [3, 'docs/design/4-x.md'], idle: [] },
      'depends on #3 and docs/design/4-x.md, which are not merged yet',
    ],
    [
      { kind: 'depends-on', unmet: [3, 99], idle: [99] },
      'depends on #3 and #99, which are not merged yet; no implementation of #99 is in progress',
    ],
    [{ kind: 'blocked-by', open: ['#3'], hidden: 0 }, 'blocked by #3, which is open'],
    [
      { kind: 'blocked-by', open: ['#3', 'acme/lib#4'], hidden: 2 },
      'blocked by #3 and acme/lib#4, which are open, and by 2 issues that MergeXO could not read',
    ],
    [{ kind: 'blocked-by', open: [], hidden: 1 }, 'blocked by 1 issue that MergeXO could not read'],
    [{ kind: 'dependency-cycle', members: [3] }, 'depends on itself: remove #3 from its depends_on'],
    [
      { kind: 'dependency-cycle', members: [3, 4, 5] },
      'is part of a dependency cycle: #3, #4 and #5 depend on each other; remove one entry from depends_on, or one "blocked by" on GitHub',
    ],
    [
      { kind: 'too-many-open-prs', open: 10, max: 10 },
      '10 pull requests are open (limits.max_open_prs is 10)',
    ],
    [{ kind: 'no-free-slot', place: 2 }, 'no free slot: position 2 in the queue'],
  ])('renders %j as %j', (reason, words) => {
    expect(renderHeldReason(reason)).toBe(words);
  });
});
