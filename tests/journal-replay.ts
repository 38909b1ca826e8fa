/**
 * `npm run journal:replay -- case.jsonl` plays the feedback of each pull request in a journal against the local stand-in
 * for GitHub, and checks the same invariants as `npm run chaos`. `--pr 7` plays one pull request, and `--print` prints
 * the schedule, so that a strange case can become a fixture of the chaos test.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { explainError } from '@mergexo/core/basics';
import { parseJournal } from '@mergexo/core/journal';
import { runOne } from './chaos/feedback-runs.js';
import { toSchedules } from './journal/to-schedules.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pr: { type: 'string' }, print: { type: 'boolean', default: false } },
});
const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

async function replay(path: string): Promise<number> {
  const replays = toSchedules(parseJournal(readFileSync(path, 'utf8'), path)).filter(
    ({ prNumber }) => values.pr === undefined || prNumber === Number(values.pr),
  );
  let broken = 0;
  for (const { repo, prNumber, leftOut, ...schedule } of replays) {
    const omitted = Object.entries(leftOut).map(([what, count]) => `, without ${count} × ${what}`);
    if (values.print) printLine(JSON.stringify(schedule));
    const { problems, answers } = await runOne(schedule);
    if (problems.length > 0) broken += 1;
    printLine(
      `${problems.length === 0 ? 'ok' : 'FAILED'} ${repo}#${prNumber}: ${schedule.ops.length} steps, ${answers} answers${omitted.join('')}`,
    );
    for (const problem of problems) printLine(`  ${problem}`);
  }
  printLine(`${replays.length} pull requests, ${broken} with problems`);
  return broken === 0 && replays.length > 0 ? 0 : 1;
}

try {
  const [path] = positionals;
  if (path === undefined) throw new RangeError('Name the file: npm run journal:replay -- case.jsonl');
  process.exitCode = await replay(path);
} catch (error) {
  printLine(explainError(error)?.message ?? String(error));
  process.exitCode = 1;
}
