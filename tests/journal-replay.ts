/**
 * `npm run journal:replay -- case.jsonl` replays the people's actions and the failures that a journal recorded, in the
 * simulated world of `npm run search`, one repository after another. `--story` describes each step. `--world feedback`
 * replays each turn of each pull request as `npm run chaos` does, and `--pr 7` only one pull request. `--print` prints
 * the schedules, so that a reported case can become a test case.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { explainError, UsageError } from '@mergexo/core/basics';
import { type Journal, parseJournal } from '@mergexo/core/journal';
import { toSchedules } from './journal/to-schedules.js';
import { toSearchSchedule } from './journal/to-search-schedule.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    world: { type: 'string', default: 'search' },
    pr: { type: 'string' },
    print: { type: 'boolean', default: false },
    story: { type: 'boolean', default: false },
  },
});
const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

function report(name: string, problems: readonly string[]): boolean {
  printLine(`${problems.length === 0 ? 'ok' : 'FAILED'} ${name}`);
  for (const problem of problems) printLine(`  ${problem}`);
  return problems.length === 0;
}

async function replayInSearch(journal: Journal): Promise<boolean[]> {
  // Loaded on demand, because the simulated world replaces the clock of its process.
  const { runSchedule } = await import('./search/play/run-schedule.js');
  const { describeSchedule } = await import('./search/play/describe-op.js');
  const results: boolean[] = [];
  for (const repo of new Set(journal.entries.flatMap((entry) => entry.repo ?? []))) {
    const schedule = toSearchSchedule(journal, repo);
    if (values.print) printLine(JSON.stringify(schedule));
    if (values.story) for (const line of describeSchedule(schedule)) printLine(`  ${line}`);
    const { problems } = await runSchedule(schedule);
    results.push(report(`${repo}: ${schedule.ops.length} steps`, problems));
  }
  return results;
}

async function replayFeedback(journal: Journal): Promise<boolean[]> {
  const { runOne } = await import('./chaos/feedback-runs.js');
  const results: boolean[] = [];
  for (const { repo, prNumber, leftOut, ...schedule } of toSchedules(journal)) {
    if (values.pr !== undefined && prNumber !== Number(values.pr)) continue;
    const omitted = Object.entries(leftOut).map(([what, count]) => `, without ${count} × ${what}`);
    if (values.print) printLine(JSON.stringify(schedule));
    const { problems, answers } = await runOne(schedule);
    const steps = `${schedule.ops.length} steps, ${answers} answers${omitted.join('')}`;
    results.push(report(`${repo}#${prNumber}: ${steps}`, problems));
  }
  return results;
}

async function replay(path: string | undefined): Promise<number> {
  if (path === undefined) throw new UsageError('Name the file: npm run journal:replay -- case.jsonl');
  const worlds: Readonly<Record<string, (journal: Journal) => Promise<boolean[]>>> = {
    search: replayInSearch,
    feedback: replayFeedback,
  };
  const play = worlds[values.world];
  if (play === undefined) throw new UsageError('--world must be search or feedback.');
  const results = await play(parseJournal(readFileSync(path, 'utf8'), path));
  const broken = results.filter((isFine) => !isFine).length;
  printLine(`${results.length} replays, ${broken} with problems`);
  return broken === 0 && results.length > 0 ? 0 : 1;
}

try {
  process.exitCode = await replay(positionals[0]);
} catch (error) {
  printLine(explainError(error)?.message ?? String(error));
  process.exitCode = 1;
}
