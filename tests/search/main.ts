import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CORPUS } from './corpus.js';
import { describeSchedule } from './play/describe-op.js';
import { drawSchedule } from './play/draw-schedule.js';
import { runSchedule } from './play/run-schedule.js';
import { shrink } from './play/shrink.js';
import { addTotals, noTotals, searchSeeds, type Totals } from './search-seeds.js';

const { values } = parseArgs({
  options: {
    /** The first seed. */
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1000000000' },
    minutes: { type: 'string', default: '60' },
    jobs: { type: 'string', default: '1' },
    /** Stops after this many violations. */
    violations: { type: 'string', default: '5' },
    /** Runs the seeds that once failed. */
    corpus: { type: 'boolean', default: false },
    /** Prints the story of one seed, as short as possible. */
    story: { type: 'boolean', default: false },
    /** Prints how often each failpoint and event was reached. */
    reach: { type: 'boolean', default: false },
    /** Prints the digest of the history of each seed. */
    digests: { type: 'boolean', default: false },
    /** Set for the processes of a search with several jobs. */
    stride: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const [seed, runs, jobs, stride] = [values.seed, values.runs, values.jobs, values.stride].map(Number);
const started = process.hrtime.bigint();
const secondsSinceStart = (): number => Number(process.hrtime.bigint() - started) / 1e9;
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const limitSeconds = Number(values.minutes) * 60;

if (values.story) await tellStory(seed ?? 1);
else if (values.digests) await printDigests(seed ?? 1, runs ?? 1);
else report((jobs ?? 1) > 1 ? await runJobs(jobs ?? 1) : await runAlone());

function* listSeeds(): Generator<number> {
  if (values.corpus) return yield* CORPUS.map((entry) => entry.seed);
  for (let run = 0; run < (runs ?? 1); run += stride ?? 1) yield (seed ?? 1) + run;
}

function runAlone(): Promise<Totals> {
  let told = 0;
  return searchSeeds(listSeeds(), ({ violations, schedules }) => {
    for (const { seed: failed, problems } of violations.slice(told))
      print(`seed ${failed}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    told = violations.length;
    if (schedules % 100 === 0 && !values.json) process.stderr.write(`${schedules} schedules\n`);
    return told < Number(values.violations) && secondsSinceStart() < limitSeconds;
  });
}

/** Runs the seeds in several processes, because one uses only one core. */
async function runJobs(count: number): Promise<Totals> {
  const parts = await Promise.all(Array.from({ length: count }, (_none, index) => runJob(count, index)));
  return parts.reduce(addTotals, noTotals());
}

function runJob(count: number, index: number): Promise<Totals> {
  const args = [
    ...[
      '--seed',
      String((seed ?? 1) + index),
      '--runs',
      String((runs ?? 1) - index),
      '--stride',
      String(count),
    ],
    ...['--minutes', values.minutes, '--violations', values.violations, '--json'],
  ];
  const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('close', () => {
      const lines = output.trimEnd().split('\n');
      for (const line of lines.slice(0, -1)) print(line);
      try {
        resolve(JSON.parse(lines.at(-1) ?? ''));
      } catch {
        reject(new Error(`a job of the search ended without a result:\n${output}`));
      }
    });
  });
}

function report(totals: Totals): void {
  if (values.json) {
    print(JSON.stringify(totals));
    return;
  }
  if (values.reach)
    for (const [name, count] of Object.entries(totals.reach).sort(([, a], [, b]) => b - a))
      print(`${String(count).padStart(9)} ${name}`);
  const { schedules, steps, crashes, violations } = totals;
  const rate = (schedules / secondsSinceStart()).toFixed(1);
  print(
    `${schedules} schedules, ${rate} a second, ${steps} events, ${crashes} crashes, ${violations.length} violations`,
  );
  if (violations.length > 0) process.exitCode = 1;
}

/** Finds a short schedule that breaks the same promise, and describes it in sentences. */
async function tellStory(one: number): Promise<void> {
  const drawn = drawSchedule(one);
  const first = await runSchedule(drawn);
  if (first.problems.length === 0) {
    print(`seed ${one} breaks no promise`);
    return;
  }
  const promise = first.problems[0]?.split(':', 1)[0] ?? '';
  const least = await shrink(drawn, async (shorter) =>
    (await runSchedule(shorter)).problems.some((problem) => problem.startsWith(`${promise}:`)),
  );
  const { problems, crashes } = await runSchedule(least);
  print(describeSchedule(least).join('\n'));
  for (const { life, where, at } of crashes)
    print(`${(at / 1_000).toFixed(1).padStart(7)} s: the ${life} crashed: ${where}`);
  print(`${problems.join('\n')}\n(${least.ops.length} of ${drawn.ops.length} operations)`);
}

async function printDigests(first: number, count: number): Promise<void> {
  for (let one = first; one < first + count; one += 1) {
    const { history } = await runSchedule(drawSchedule(one), { keepsHistory: true });
    print(`${one} ${createHash('sha256').update(history).digest('hex')}`);
  }
}
