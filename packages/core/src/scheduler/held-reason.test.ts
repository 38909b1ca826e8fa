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
    [{ kind: 'dependency-cycle', members: [3] }, 'depends on itself: remove #3 from its depends_on'],
    [
      { kind: 'dependency-cycle', members: [3, 4, 5] },
      'is part of a dependency cycle: #3, #4 and #5 depend on each other; remove one entry from depends_on',
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
