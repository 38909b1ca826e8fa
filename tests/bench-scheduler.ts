import {
  type ActiveWork,
  type Candidate,
  chooseImplementations,
  DEFAULT_WEIGHTS,
} from '@mergexo/core/scheduler';

const CANDIDATES = 1_000;
const ACTIVE = 200;
const FREE = 8;
const ROUNDS = 25;
const HOUR_MS = 3_600_000;

/** Pseudo-random numbers that are the same in every run. */
const scatter = (n: number, below: number): number => ((n * 2_654_435_761) % 4_294_967_296) % below;

/** Draws small numbers more often, because real changes concentrate on a few files and modules. */
const favour = (n: number, below: number): number => scatter(n, 1 + scatter(n + 7, below));

/** Each piece of work touches one to three of twenty modules. Every fifth path is a glob. */
function pathsOf(work: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const module = favour(work * 3 + (i % (1 + (work % 3))), 20);
    const file = favour(work * 31 + i, 40);
    const directory = `packages/m${module}/src/d${file % 5}`;
    return i % 5 === 4 ? `${directory}/**/*.ts` : `${directory}/f${file}.ts`;
  });
}

const candidates = Array.from(
  { length: CANDIDATES },
  (_, i): Candidate => ({
    runId: i + 1,
    issueNumber: i + 1,
    documentPath: `docs/design/${i + 1}-x.md`,
    priority: 1 + scatter(i, 5),
    touchPaths: pathsOf(i, 2 + scatter(i, 12)),
    dependsOn: i > 0 && i % 10 === 0 ? [i] : [],
    size: (['S', 'M', 'L'] as const)[scatter(i, 3)] ?? 'M',
    readySinceMs: scatter(i, 96) * HOUR_MS,
    blockedBy: null,
  }),
);
const active = Array.from(
  { length: ACTIVE },
  (_, i): ActiveWork => ({
    issueNumber: CANDIDATES + i + 1,
    prNumber: 2 * CANDIDATES + i + 1,
    paths: [
      'package.json',
      ...pathsOf(CANDIDATES + i, 2 + scatter(i, 25)).filter((path) => !path.includes('*')),
    ],
  }),
);
const pulls = { open: 0, max: 1_000 };
const question = {
  repo: 'acme/app',
  candidates,
  blockedStarts: [],
  active,
  settled: [],
  free: FREE,
  pulls,
  nowMs: 96 * HOUR_MS,
  weights: DEFAULT_WEIGHTS,
};

const { chosen, held } = chooseImplementations(question);
const overlapping = held.filter(({ reason }) => reason.kind === 'overlaps').length;
const choosing = measure(() => chooseImplementations(question));
const sorting = measure(() =>
  candidates.toSorted((a, b) => b.priority - a.priority || a.readySinceMs - b.readySinceMs),
);
process.stdout.write(
  [
    `${CANDIDATES} candidates against ${ACTIVE} pull requests: ${chosen.length} chosen, ${overlapping} held for overlapping`,
    `choice: ${choosing.median.toFixed(1)} ms, best ${choosing.best.toFixed(1)} ms (median and best of ${ROUNDS}; goal 100 ms)`,
    `plain sort: ${sorting.median.toFixed(2)} ms; a choice costs ${(choosing.best / sorting.best).toFixed(0)} sorts`,
    '',
  ].join('\n'),
);

function measure(work: () => unknown): { median: number; best: number } {
  const times = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  }).sort((a, b) => a - b);
  return { median: times[Math.floor(ROUNDS / 2)] ?? 0, best: times[0] ?? 0 };
}
