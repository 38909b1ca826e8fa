/** `npm run chaos:pairs`: kill -9 at every ordered pair of points of a feedback turn, a few at a time. */
import { crashFeedback, FEEDBACK_POINTS } from './support/crash-feedback.js';

const [only] = process.argv.slice(2);
const pairs = FEEDBACK_POINTS.flatMap((first) =>
  FEEDBACK_POINTS.map((second) => [first, second] as const),
).filter((pair) => only === undefined || pair.join(',') === only);
const AT_ONCE = 4;
const waiting = [...pairs];
let done = 0;
const failures: string[] = [];

await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let pair = waiting.shift(); pair !== undefined; pair = waiting.shift()) {
      const faults = await crashFeedback(pair);
      done += 1;
      if (faults.length > 0) {
        failures.push(pair.join(','));
        process.stdout.write(`${pair.join(' then ')}: ${faults.join('; ')}\n`);
      }
      if (done % 20 === 0) process.stdout.write(`${done} of ${pairs.length}, ${failures.length} wrong\n`);
    }
  }),
);
process.stdout.write(`${done} pairs, ${failures.length} wrong\n`);
for (const pair of failures) process.stdout.write(`again: npm run chaos:pairs -- ${pair}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
