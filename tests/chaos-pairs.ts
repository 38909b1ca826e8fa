/**
 * `npm run chaos:pairs` kills programs with kill -9 at every ordered pair of failpoints of a feedback turn, four pairs
 * in parallel. The whole run takes more than an hour. `-- --every 10 --offset 3` runs a tenth of the pairs, `-- --from
 * 300` skips the first 300 pairs, and `-- first,second` runs one pair. `MERGEXO_TEST_PATIENCE=5` extends the timeouts
 * on a busy machine.
 */
import { parseArgs } from 'node:util';
import { createVictim, FEEDBACK_POINTS, type Victim } from './fleet/crash-feedback.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', default: '1' },
    offset: { type: 'string', default: '0' },
    from: { type: 'string', default: '0' },
  },
});
const [only] = positionals;
/** Lists each failpoint once. If a turn passes a failpoint several times, only the second pass is listed. */
const points = FEEDBACK_POINTS.filter((point) => !point.includes('#') || point.endsWith('#2'));
const all = points.flatMap((first) => points.map((second) => [first, second] as const));
const pairs = all.filter((pair, index) =>
  only === undefined
    ? index >= Number(values.from) && index % Number(values.every) === Number(values.offset)
    : pair.join(',') === only,
);
const AT_ONCE = 4;
const ROUNDS = 15;
const waiting = [...pairs];
let done = 0;
const failures: string[] = [];

await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    let victim: Victim | undefined;
    let rounds = 0;
    for (let pair = waiting.shift(); pair !== undefined; pair = waiting.shift()) {
      victim ??= await createVictim();
      const faults = await victim.crash(pair);
      done += 1;
      rounds += 1;
      // Creates a new pull request after a fault, and also after several rounds, because the threads become long.
      if (faults.length > 0 || rounds % ROUNDS === 0) {
        await victim.close();
        victim = undefined;
      }
      if (faults.length > 0) {
        failures.push(pair.join(','));
        process.stdout.write(`${pair.join(' then ')}: ${faults.join('; ')}\n`);
      }
      if (done % 20 === 0) process.stdout.write(`${done} of ${pairs.length}, ${failures.length} failed\n`);
    }
    await victim?.close();
  }),
);
process.stdout.write(`${done} of ${all.length} pairs, ${failures.length} failed\n`);
for (const pair of failures) process.stdout.write(`To repeat: npm run chaos:pairs -- ${pair}\n`);
process.exitCode = failures.length === 0 && done > 0 ? 0 : 1;
