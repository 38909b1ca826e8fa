/**
 * `npm run chaos -- --seed 7 --runs 500` runs random schedules against the feedback loop. `--mutants` tests the
 * checker: for each deliberate bug, it runs schedules until one finds the bug.
 */
import { parseArgs } from 'node:util';
import { runMutants, type Verdict } from './chaos/feedback-mutant-runs.js';
import { runFeedback } from './chaos/feedback-runs.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'shrink-seconds': { type: 'string', default: '60' },
    mutants: { type: 'boolean', default: false },
  },
});
const [seed, runs] = [Number(values.seed), Number(values.runs)];
const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

async function searchSchedules(): Promise<boolean> {
  const started = performance.now();
  const shrinkMs = Number(values['shrink-seconds']) * 1_000;
  const onRun = (count: number): void => {
    if (count % 25 === 0) process.stderr.write(`${count} of ${runs} schedules\n`);
  };
  const { finding, runs: done, crashes, answers } = await runFeedback({ seed, runs, shrinkMs, onRun });
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  const crashCounts = [...crashes]
    .map(([name, count]) => `${name.replace('poller:', '')} ${count}`)
    .join(', ');
  printLine(
    `${finding ? 'FAILED' : 'passed'}: ${done} schedules from seed ${seed}, ${seconds} s; answers ${answers}; crashes: ${crashCounts}`,
  );
  if (finding) printLine(finding.report);
  return finding === undefined;
}

async function searchMutants(): Promise<boolean> {
  const show = ({ name, caughtIn, seconds, symptom }: Verdict): void =>
    printLine(
      `${caughtIn ?? 'NOT CAUGHT'}\t${seconds.toFixed(0)} s\t${name}\t${caughtIn === null ? '' : symptom}`,
    );
  printLine('runs\ttime\tdeliberate bug\tfirst seen as');
  const verdicts = await runMutants({ dist: new URL('.', import.meta.url), seed, runs }, show);
  const missed = verdicts.filter(({ caughtIn }) => caughtIn === null).length;
  printLine(
    `${verdicts.length - missed} of ${verdicts.length} caught within ${runs} schedules from seed ${seed}`,
  );
  return missed === 0;
}

process.exit((await (values.mutants ? searchMutants() : searchSchedules())) ? 0 : 1);
