/**
 * `npm run bench:latency` measures the time from a comment to the start of its agent, on the real stack with many open
 * pull requests.
 */
import { parseArgs } from 'node:util';
import { eventually } from '@mergexo/testkit';
import { countUnread, recordPulls } from './fleet/record-pulls.js';
import { createWalk, REPO } from './fleet/walk.js';

const { values } = parseArgs({ options: { pulls: { type: 'string', default: '100' } } });
const count = Number(values.pulls);
const ROUNDS = 5;
/** The two intervals in the walk's configuration, plus two seconds for everything else. */
const LIMIT_SECONDS = 0.5 + 0.3 + 2;

const walk = await createWalk({ limits: '[limits]\nmax_open_runs = 1000\nmax_open_prs = 1000\n' });
try {
  const numbers = await recordPulls(walk, count);
  walk.startPoller();
  await walk.ready(walk.startWorker(), 'worker is ready');
  await eventually(() => {
    const left = countUnread(walk);
    if (left > 0) throw new Error(`${left} pull requests were not read yet`);
  }, 300_000);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { issue, pr } = numbers[Math.floor(((round + 0.5) * count) / ROUNDS)] ?? { issue: 0, pr: 0 };
    const begun = performance.now();
    await walk.alice.comment(REPO, pr, 'Why?');
    await eventually(() => {
      if (walk.agentCalls(issue) === 0)
        throw new Error(`no agent was called:\n${walk.outputs().slice(-2_000)}`);
    }, 60_000);
    times.push((performance.now() - begun) / 1_000);
  }
  const shown = times.map((time) => time.toFixed(1)).join(', ');
  process.stdout.write(`${count} open pull requests, a comment on one: its agent started after ${shown} s `);
  process.stdout.write(`(poll interval, debounce and 2 s are ${LIMIT_SECONDS} s)\n`);
} finally {
  await walk.close();
}
