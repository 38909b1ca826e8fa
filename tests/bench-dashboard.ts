/** `npm run bench:dashboard` measures the pages on a large database. `--look` keeps the dashboard running instead. */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { describeTimes } from './dashboard/describe-times.js';
import { fillDatabase, type Size } from './dashboard/fill-database.js';
import { measurePoll } from './dashboard/measure-poll.js';
import { ask, createDashboardStage } from './fleet/dashboard-stage.js';

const { values } = parseArgs({
  options: {
    issues: { type: 'string', default: '10000' },
    events: { type: 'string', default: '100000' },
    steps: { type: 'string', default: '100000' },
    requests: { type: 'string', default: '100' },
    look: { type: 'boolean', default: false },
  },
});
const requests = Number(values.requests);
const size: Size = {
  issues: Number(values.issues),
  events: Number(values.events),
  steps: Number(values.steps),
};
const PAGES = [
  '/',
  '/issues',
  '/issues?q=export&sort=title&dir=asc',
  '/issues?person=ada&state=merged&page=20',
  '/issues/ada/engine/1001',
  '/issues/ada/store/4001',
  '/workers',
  '/repositories',
  '/costs',
  '/activity?range=weeks',
];

const stage = await createDashboardStage();
try {
  const started = performance.now();
  stage.edit((state) => fillDatabase(state, size, { now: Date.now() }));
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  process.stdout.write(
    `${size.issues} issues, ${size.events} events, ${size.steps} steps, filled in ${seconds} s\n`,
  );
  const base = await stage.startDashboard();
  if (values.look) {
    process.stdout.write(`${base}\n`);
    await once(process, 'SIGINT');
  } else {
    for (const path of PAGES) process.stdout.write(`${await measure(base, path)}\n`);
    const lines = await measurePoll(size);
    process.stdout.write(`${lines.join('\n')}\n`);
  }
} finally {
  await stage.close();
}

/** Requests a page again and again, one request at a time. The time includes the transfer over loopback. */
async function measure(base: string, path: string): Promise<string> {
  const times: number[] = [];
  let bytes = 0;
  for (let index = -3; index < requests; index += 1) {
    const sent = performance.now();
    const { status, body } = await ask(base, path);
    if (status !== 200) return `${path}: status ${status}`;
    bytes = body.length;
    if (index >= 0) times.push(performance.now() - sent);
  }
  const { text } = describeTimes(times);
  return `${path}: ${text}, ${Math.round(bytes / 1_000)} kB`;
}
