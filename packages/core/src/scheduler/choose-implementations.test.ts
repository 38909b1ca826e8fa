import {
  type ActiveWork,
  type Candidate,
  chooseImplementations,
  type ImplementationQuestion,
} from './choose-implementations.js';
import { renderHeldReason } from './held-reason.js';
import { DEFAULT_WEIGHTS } from './weights.js';

const DAY_MS = 86_400_000;
const NOW_MS = 100 * DAY_MS;
const daysAgo = (days: number): number => NOW_MS - days * DAY_MS;

const aCandidate = (issueNumber: number, fields: Partial<Candidate> = {}): Candidate => ({
  runId: issueNumber,
  issueNumber,
  documentPath: `docs/design/${issueNumber}-x.md`,
  priority: 3,
  touchPaths: [`packages/m${issueNumber}/x.ts`],
  dependsOn: [],
  size: 'S',
  readySinceMs: NOW_MS,
  blockedBy: null,
  ...fields,
});
const aPull = (prNumber: number, paths: readonly string[]): ActiveWork => ({
  issueNumber: null,
  prNumber,
  paths,
});

function choose(candidates: readonly Candidate[], fields: Partial<ImplementationQuestion> = {}) {
  const { chosen, held, cycles } = chooseImplementations({
    repo: 'acme/app',
    blockedStarts: [],
    candidates,
    active: [],
    settled: [],
    free: 10,
    pulls: { open: 0, max: 10 },
    nowMs: NOW_MS,
    weights: DEFAULT_WEIGHTS,
    ...fields,
  });
  return {
    chosen: chosen.map(({ candidate }) => candidate.issueNumber),
    held: held.map(({ candidate, reason }) => `${candidate.issueNumber} ${renderHeldReason(reason)}`),
    cycles,
  };
}

describe('chooseImplementations', () => {
  it('takes the highest priority first, then the oldest, then the lowest number', () => {
    const candidates = [
      aCandidate(4),
      aCandidate(3),
      aCandidate(2, { readySinceMs: NOW_MS - 1 }),
      aCandidate(1, { priority: 4 }),
      aCandidate(5, { priority: 5 }),
    ];
    expect(choose(candidates).chosen).toEqual([5, 1, 2, 3, 4]);
  });

  it('computes the score with the documented formula', () => {
    const candidate = aCandidate(1, {
      size: 'M',
      readySinceMs: daysAgo(2),
      touchPaths: ['src/a/x', 'src/a/y'],
    });
    const { chosen } = chooseImplementations({
      repo: 'acme/app',
      blockedStarts: [],
      candidates: [candidate],
      active: [aPull(9, ['src/a/x', 'src/b/z'])],
      settled: [],
      free: 1,
      pulls: { open: 0, max: 1 },
      nowMs: NOW_MS,
      weights: { ...DEFAULT_WEIGHTS, conflictThreshold: 1, stalenessPenalty: 0.5 },
    });
    const risk = 0.7 / 3 + 0.2 + 0.05;
    expect(chosen[0]?.risk).toBeCloseTo(risk, 12);
    expect(chosen[0]?.score).toBeCloseTo(3 - 4 * risk - 0.5 * 2, 12);
  });

  it('fills the free slots, and reports the position of the other candidates', () => {
    const candidates = [aCandidate(1), aCandidate(2), aCandidate(3, { priority: 1 }), aCandidate(4)];
    expect(choose(candidates, { free: 2 })).toMatchObject({
      chosen: [1, 2],
      held: ['4 no free slot: position 1 in the queue', '3 no free slot: position 2 in the queue'],
    });
    expect(choose(candidates, { free: -1 }).chosen).toEqual([]);
  });

  it('respects the limit of open pull requests', () => {
    const pulls = { open: 9, max: 10 };
    expect(choose([aCandidate(1), aCandidate(2)], { pulls })).toMatchObject({
      chosen: [1],
      held: ['2 9 pull requests are open (limits.max_open_prs is 10)'],
    });
    expect(choose([aCandidate(1)], { pulls: { open: 12, max: 10 } }).chosen).toEqual([]);
  });

  it('holds a candidate that overlaps active work, names that work, and starts another candidate instead', () => {
    const candidates = [
      aCandidate(1, { priority: 5, touchPaths: ['packages/api/src/server.ts', 'packages/api/src/routes/*'] }),
      aCandidate(2, { priority: 1 }),
    ];
    const active = [aPull(11, ['packages/web/x.ts']), aPull(12, ['packages/api/src/routes/login.ts'])];
    expect(choose(candidates, { active, free: 1 })).toMatchObject({
      chosen: [2],
      held: ['1 overlaps with #12 in packages/api/src/routes/*'],
    });
  });

  it('counts chosen candidates as active', () => {
    const touchPaths = ['packages/api/x.ts'];
    expect(choose([aCandidate(1, { touchPaths }), aCandidate(2, { touchPaths, priority: 4 })])).toMatchObject(
      {
        chosen: [2],
        held: ['1 overlaps with #2 in packages/api/x.ts'],
      },
    );
  });

  it('uses the highest risk among many pull requests', () => {
    const active = Array.from({ length: 200 }, (_, i) => aPull(1_000 + i, [`packages/n${i}/y.ts`]));
    active.push(aPull(12, ['packages/m1/x.ts']));
    expect(choose([aCandidate(1)], { active }).held).toEqual(['1 overlaps with #12 in packages/m1/x.ts']);
  });

  it.each([
    ['small', 'S', []],
    ['medium', 'M', []],
    ['large', 'L', ['1 overlaps with #12 in packages/m1']],
  ] as const)('with overlap in the same module only, decides by size: %s', (_name, size, held) => {
    expect(choose([aCandidate(1, { size })], { active: [aPull(12, ['packages/m1/y.ts'])] }).held).toEqual(
      held,
    );
  });

  it('never holds a candidate without overlap, however low the threshold', () => {
    const weights = { ...DEFAULT_WEIGHTS, conflictThreshold: 0 };
    const active = [aPull(12, ['packages/other/x.ts'])];
    expect(choose([aCandidate(1, { size: 'L' })], { active, weights }).chosen).toEqual([1]);
  });

  it('stops holding an overlapping candidate after its maximum waiting time', () => {
    const touchPaths = ['packages/api/x.ts'];
    const active = [aPull(12, touchPaths)];
    const wait = (days: number) =>
      choose([aCandidate(1, { touchPaths, readySinceMs: daysAgo(days) })], { active });
    expect(wait(3.99).chosen).toEqual([]);
    expect(wait(4).chosen).toEqual([1]);
  });

  it('counts the waiting time from the merge of the last dependency', () => {
    const touchPaths = ['packages/api/x.ts'];
    const candidate = aCandidate(1, { touchPaths, readySinceMs: daysAgo(50), dependsOn: [7] });
    const settled = [{ issueNumber: 7, documentPath: null, settledAtMs: daysAgo(1) }];
    expect(choose([candidate], { settled, active: [aPull(12, touchPaths)] }).chosen).toEqual([]);
  });
});

describe('dependencies', () => {
  it('delay a candidate until they are merged, whether named by number or by document', () => {
    const candidates = [aCandidate(2, { dependsOn: [1, 'docs/design/7-x.md'] })];
    const active = [{ issueNumber: 1, prNumber: 30, paths: [] }];
    const seven = { issueNumber: 7, documentPath: 'docs/design/7-x.md', settledAtMs: 0 };
    const one = { issueNumber: 1, documentPath: null, settledAtMs: 0 };
    expect(choose(candidates, { active }).held).toEqual([
      '2 depends on #1 and docs/design/7-x.md, which are not merged yet; no implementation of docs/design/7-x.md is in progress',
    ]);
    expect(choose(candidates, { active, settled: [seven] }).held).toEqual([
      '2 depends on #1, which is not merged yet',
    ]);
    expect(choose(candidates, { settled: [seven, one] }).chosen).toEqual([2]);
  });

  it('on another candidate delay only the dependent candidate', () => {
    const candidates = [aCandidate(1), aCandidate(2, { dependsOn: ['docs/design/1-x.md'], priority: 5 })];
    expect(choose(candidates)).toMatchObject({
      chosen: [1],
      held: ['2 depends on docs/design/1-x.md, which is not merged yet'],
      cycles: [],
    });
  });

  it('in a cycle are reported, but not for work that only waits for the cycle', () => {
    const candidates = [
      aCandidate(1, { dependsOn: [2] }),
      aCandidate(2, { dependsOn: ['docs/design/1-x.md'] }),
      aCandidate(3, { dependsOn: [1] }),
      aCandidate(4, { dependsOn: [4] }),
      aCandidate(5),
    ];
    const choice = choose(candidates);
    expect(choice.cycles).toEqual([[1, 2], [4]]);
    expect(choice.chosen).toEqual([5]);
    expect(choice.held).toEqual([
      '1 is part of a dependency cycle: #1 and #2 depend on each other; remove one entry from depends_on, or one "blocked by" on GitHub',
      '2 is part of a dependency cycle: #1 and #2 depend on each other; remove one entry from depends_on, or one "blocked by" on GitHub',
      '3 depends on #1, which is not merged yet',
      '4 depends on itself: remove #4 from its depends_on',
    ]);
  });

  it('on GitHub delay a candidate, and form cycles with documents and with work that has not started', () => {
    const blockedBy = (number: number, repo = 'acme/app') => ({ open: [{ repo, number }], hidden: 0 });
    const candidates = [
      aCandidate(1, { dependsOn: [2] }),
      aCandidate(3, { priority: 5, blockedBy: blockedBy(9) }),
      aCandidate(4, { blockedBy: blockedBy(4, 'acme/lib') }),
    ];
    const blockedStarts = [{ issueNumber: 2, blockedBy: blockedBy(1, 'Acme/App') }];
    const choice = choose(candidates, { blockedStarts });
    expect(choice).toMatchObject({ chosen: [], cycles: [[1, 2]] });
    expect(choice.held.slice(0, 1)).toEqual(['3 blocked by #9, which is open']);
    expect(choice.held).toContain('4 blocked by acme/lib#4, which is open');
  });

  it('form no cycle once one of them is merged', () => {
    const candidates = [aCandidate(1, { dependsOn: [2] })];
    const settled = [{ issueNumber: 2, documentPath: null, settledAtMs: 0 }];
    expect(choose(candidates, { settled })).toMatchObject({ chosen: [1], cycles: [] });
  });
});
