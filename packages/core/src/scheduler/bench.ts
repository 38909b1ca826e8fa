import { type ActiveWork, type Candidate, chooseImplementations } from './choose-implementations.js';
import { DEFAULT_WEIGHTS } from './weights.js';

const CANDIDATES = 1_000;
const ACTIVE = 200;
const FREE = 8;
const ROUNDS = 15;
const LIMIT_MS = 100;
const HOUR_MS = 3_600_000;

/** Numbers without a pattern, the same in every run. */
const scatter = (n: number, below: number): number => ((n * 2_654_435_761) % 4_294_967_296) % below;

/** Small numbers of modules and files are met more often, as in a real repository. */
const pathOf = (n: number): string => {
  const module = scatter(n, 1 + scatter(n + 7, 20));
  const file = scatter(n + 13, 1 + scatter(n + 17, 40));
  return n % 5 === 0
    ? `packages/m${module}/src/d${file % 5}/**/*.ts`
    : `packages/m${module}/src/d${file % 5}/f${file}.ts`;
};
const pathsOf = (n: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => pathOf(n * 31 + i));

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
  candidates,
  active,
  settled: [],
  free: FREE,
  pulls,
  nowMs: 96 * HOUR_MS,
  weights: DEFAULT_WEIGHTS,
};

const choosing = measure(() => chooseImplementations(question));
const sorting = measure(() =>
  candidates.toSorted((a, b) => b.priority - a.priority || a.readySinceMs - b.readySinceMs),
);
const { chosen, held } = chooseImplementations(question);
process.stdout.write(
  [
    `${CANDIDATES} candidates against ${ACTIVE} pull requests, ${FREE} free slots: ${choosing.toFixed(1)} ms (limit ${LIMIT_MS} ms, median of ${ROUNDS})`,
    `a plain sort of the candidates: ${sorting.toFixed(2)} ms, so a choice costs ${(choosing / sorting).toFixed(0)} of them`,
    `chosen ${chosen.length}, held for overlapping ${held.filter(({ reason }) => reason.kind === 'overlaps').length} of ${held.length}`,
    '',
  ].join('\n'),
);
process.exitCode = choosing < LIMIT_MS ? 0 : 1;

function measure(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}
