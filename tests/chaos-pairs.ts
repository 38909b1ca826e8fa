/**
 * `npm run chaos:pairs -- --minutes 30` plays random flows, and kills a program with kill -9 at two random failpoints of
 * each. `--seed N` repeats the same rounds, and `--flow review` plays only one flow. `--flow review --points
 * worker:pushed,poller:freeze-read#2` plays one round. `--singles` plays each flow once per failpoint instead.
 * `MERGEXO_TEST_PATIENCE=5` extends the timeouts on a busy machine.
 */
import { parseArgs } from 'node:util';
import { FAILPOINTS } from '@mergexo/core/basics';
import { type Drawn, drawPair, listPoints } from './pairs/draw-pair.js';
import { chooseFlows } from './pairs/flows.js';
import { playRounds } from './pairs/play-rounds.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    jobs: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    flow: { type: 'string' },
    points: { type: 'string' },
    singles: { type: 'boolean', default: false },
  },
});
const [minutes, jobs, seed] = [values.minutes, values.jobs, values.seed].map(Number);
if (!minutes || !jobs || seed === undefined || Number.isNaN(seed))
  throw new RangeError('--minutes, --jobs and --seed must be numbers, and the first two must not be 0.');
const flows = chooseFlows(values.flow);
const startedAt = performance.now();
const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

const listed = values.points
  ? flows.slice(0, 1).map((flow): Drawn => ({ flow, points: values.points?.split(',') ?? [] }))
  : flows.flatMap((flow) => listPoints(flow).map((point): Drawn => ({ flow, points: [point] })));
let number = 0;
const isOver = (): boolean => performance.now() - startedAt > minutes * 60_000;
const next = (): Drawn | undefined => {
  if (values.points === undefined && isOver()) return undefined;
  if (values.points !== undefined || values.singles) return listed[number++];
  return drawPair(flows, seed, number++);
};

const tally = await playRounds({
  next,
  jobs,
  mustReach: values.singles || values.points !== undefined,
  onRound({ flow, points }, faults) {
    const name = `${flow.name}: ${points.join(',')}`;
    printLine(faults.length === 0 ? `ok ${name}` : `FAILED ${name}\n  ${faults.join('\n  ')}`);
  },
});

for (const round of tally.broken) {
  const [flow = '', points = ''] = round.split(': ');
  printLine(`To repeat: npm run chaos:pairs -- --flow ${flow} --points ${points}`);
}
const elapsed = (performance.now() - startedAt) / 60_000;
const unreached = FAILPOINTS.filter((point) => !tally.reached.has(point));
if (values.points === undefined && unreached.length > 0)
  printLine(`Failpoints that killed nothing: ${unreached.join(', ')}`);
printLine(
  `${tally.rounds} rounds with ${tally.kills} kills from seed ${seed}, ${(tally.rounds / elapsed).toFixed(1)} per minute, ${tally.broken.length} violations`,
);
process.exitCode = tally.broken.length === 0 && tally.rounds > 0 ? 0 : 1;
