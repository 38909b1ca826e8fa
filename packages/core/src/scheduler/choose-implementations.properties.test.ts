import fc from 'fast-check';
import {
  type ActiveWork,
  type Candidate,
  chooseImplementations,
  type ImplementationQuestion,
} from './choose-implementations.js';
import { DEFAULT_WEIGHTS, type SchedulerWeights } from './weights.js';

const DAY_MS = 86_400_000;
const NOW_MS = 100 * DAY_MS;

const path = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }))
  .map(([module, file]) => `packages/m${module}/f${file}.ts`);
const paths = fc.uniqueArray(path, { maxLength: 4 });
const size = fc.constantFrom('S' as const, 'M' as const, 'L' as const);

const design = fc.record({
  priority: fc.integer({ min: 1, max: 5 }),
  touchPaths: paths,
  size,
  waited: fc.integer({ min: 0, max: 8 }),
  dependsOn: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 1 }),
});
const question: fc.Arbitrary<ImplementationQuestion> = fc
  .record({
    designs: fc.array(design, { maxLength: 12 }),
    active: fc.array(paths, { maxLength: 5 }),
    settled: fc.uniqueArray(fc.integer({ min: 1, max: 30 })),
    free: fc.integer({ min: 0, max: 6 }),
    open: fc.integer({ min: 0, max: 6 }),
  })
  .map(({ designs, active, settled, free, open }) => ({
    repo: 'acme/app',
    blockedStarts: [],
    candidates: designs.map(
      ({ waited, ...fields }, i): Candidate => ({
        ...fields,
        runId: i + 1,
        issueNumber: i + 1,
        documentPath: `docs/design/${i + 1}-x.md`,
        readySinceMs: NOW_MS - waited * DAY_MS,
        blockedBy: null,
      }),
    ),
    active: active.map((paths, i): ActiveWork => ({ issueNumber: 100 + i, prNumber: 200 + i, paths })),
    settled: settled.map((issueNumber) => ({ issueNumber, documentPath: null, settledAtMs: 0 })),
    free,
    pulls: { open, max: 5 },
    nowMs: NOW_MS,
    weights: DEFAULT_WEIGHTS,
  }));

/** Computes the expected risk with sets, which suffices for paths without globs. Null if no module is shared. */
function riskBetween(mine: Candidate, theirs: readonly string[]): number | null {
  const moduleOf = (path: string): string => path.split('/').slice(0, 2).join('/');
  const modules = new Set(theirs.map(moduleOf));
  if (!mine.touchPaths.some((path) => modules.has(moduleOf(path)))) return null;
  const shared = mine.touchPaths.filter((path) => theirs.includes(path)).length;
  const all = new Set([...mine.touchPaths, ...theirs]).size;
  return (0.7 * shared) / all + 0.2 + 0.1 * { S: 0, M: 0.5, L: 1 }[mine.size];
}

describe('chooseImplementations, for random input', () => {
  it('never exceeds the free slots, and leaves no slot free while a candidate fits', () => {
    fc.assert(
      fc.property(question, (question) => {
        const { chosen, held } = chooseImplementations(question);
        const room = Math.max(0, Math.min(question.free, question.pulls.max - question.pulls.open));
        expect(chosen.length).toBeLessThanOrEqual(room);
        expect(chosen.length + held.length).toBe(question.candidates.length);
        const inLine = held.filter(({ reason }) => /no-free-slot|too-many-open-prs/.test(reason.kind));
        if (chosen.length < room) expect(inLine).toEqual([]);
      }),
    );
  });

  it('never starts two candidates that overlap above the threshold, unless one of them has waited longer than patienceDays', () => {
    fc.assert(
      fc.property(question, (question) => {
        const { chosen, held } = chooseImplementations(question);
        const active = question.active.map(({ paths }) => paths);
        const isTooClose = (candidate: Candidate): boolean =>
          active.some(
            (paths) => (riskBetween(candidate, paths) ?? 0) > DEFAULT_WEIGHTS.conflictThreshold + 1e-9,
          );
        const isPatient = ({ readySinceMs }: Candidate): boolean => NOW_MS - readySinceMs < 4 * DAY_MS;
        for (const { candidate } of chosen) {
          expect(isTooClose(candidate) && isPatient(candidate)).toBe(false);
          active.push(candidate.touchPaths);
        }
        for (const { candidate, reason } of held) {
          if (reason.kind === 'overlaps') expect(isTooClose(candidate) && isPatient(candidate)).toBe(true);
        }
      }),
    );
  });

  it('starts no candidate before its dependencies', () => {
    fc.assert(
      fc.property(question, (question) => {
        const settled = new Set<unknown>(question.settled.map(({ issueNumber }) => issueNumber));
        for (const { candidate } of chooseImplementations(question).chosen) {
          expect(candidate.dependsOn.filter((one) => !settled.has(one))).toEqual([]);
        }
      }),
    );
  });

  it('does not depend on the order of the input', () => {
    const shuffled = question.chain((question) =>
      fc.record({
        question: fc.constant(question),
        candidates: fc.shuffledSubarray([...question.candidates], { minLength: question.candidates.length }),
        active: fc.shuffledSubarray([...question.active], { minLength: question.active.length }),
        settled: fc.shuffledSubarray([...question.settled], { minLength: question.settled.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ question, ...order }) => {
        expect(chooseImplementations({ ...question, ...order })).toEqual(chooseImplementations(question));
      }),
    );
  });
});

describe('chooseImplementations, over many days', () => {
  const weights: SchedulerWeights = {
    ...DEFAULT_WEIGHTS,
    conflictWeight: 2,
    stalenessPenalty: -1,
    patienceDays: 2,
  };
  /** The largest difference in waiting days that priority and risk can outweigh. Never less than `patienceDays`. */
  const boundDays = Math.max(
    2,
    (4 * weights.priorityWeight + weights.conflictWeight) / -weights.stalenessPenalty,
  );
  const arrival = fc.record({
    day: fc.integer({ min: 0, max: 25 }),
    lasts: fc.integer({ min: 1, max: 3 }),
    design,
  });

  it('starts every candidate, and never before another candidate that has waited longer by more than the bound', () => {
    fc.assert(
      fc.property(
        fc.array(arrival, { minLength: 20, maxLength: 60, size: 'max' }),
        fc.integer({ min: 1, max: 3 }),
        (arrivals, slots) => {
          const startedOn = play(arrivals, slots);
          expect(startedOn.size).toBe(arrivals.length);
          for (const [a, early] of arrivals.entries()) {
            for (const [b, late] of arrivals.entries()) {
              if (late.day - early.day <= boundDays) continue;
              expect(startedOn.get(b) ?? 0).toBeGreaterThanOrEqual(startedOn.get(a) ?? Infinity);
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it.each([
    ['the same file', () => 'src/a/hot.ts'],
    ['the only slot', (day: number) => `src/m${day}/x.ts`],
  ])('starts a low-priority design even if higher-priority designs for %s keep arriving', (_name, pathOn) => {
    const crowd = Array.from({ length: 60 }, (_, day) => ({
      day,
      lasts: 2,
      design: { priority: 5, touchPaths: [pathOn(day)], size: 'S' as const, waited: 0, dependsOn: [] },
    }));
    const modest = { priority: 1, touchPaths: [pathOn(0)], size: 'L' as const, waited: 0, dependsOn: [] };
    const startedOn = play([...crowd, { day: 0, lasts: 2, design: modest }], 1);
    // Every design that arrived within the bound may start first and take two days.
    expect(startedOn.get(60)).toBeLessThanOrEqual(2 * (boundDays + 1));
  });

  type Arrival = typeof arrival extends fc.Arbitrary<infer T> ? T : never;

  /** Simulates the scheduler day by day, and returns the day on which each arrival started. */
  function play(arrivals: readonly Arrival[], slots: number): Map<number, number> {
    const startedOn = new Map<number, number>();
    const lastDay = 26 + 3 * arrivals.length;
    for (let day = 0; day <= lastDay; day += 1) {
      const entries = [...arrivals.entries()];
      const active = entries.filter(([i, { lasts }]) => {
        const start = startedOn.get(i);
        return start !== undefined && day < start + lasts;
      });
      const waiting = entries.filter(([i, arrival]) => arrival.day <= day && !startedOn.has(i));
      const { chosen } = chooseImplementations({
        repo: 'acme/app',
        blockedStarts: [],
        candidates: waiting.map(([i, { day, design }]) => toCandidate(i, day, design)),
        active: active.map(([i, { design }]) => ({
          issueNumber: i,
          prNumber: null,
          paths: design.touchPaths,
        })),
        settled: [],
        free: slots - active.length,
        pulls: { open: 0, max: 100 },
        nowMs: day * DAY_MS,
        weights,
      });
      for (const { candidate } of chosen) startedOn.set(candidate.runId, day);
    }
    return startedOn;
  }

  function toCandidate(i: number, day: number, { priority, touchPaths, size }: Arrival['design']): Candidate {
    const documentPath = `docs/design/${i}-x.md`;
    const ready = { readySinceMs: day * DAY_MS, dependsOn: [], blockedBy: null };
    return { runId: i, issueNumber: i, documentPath, priority, touchPaths, size, ...ready };
  }
});
