/** `npm run bench:dashboard` measures the pages on a large database. `--look` keeps the dashboard running instead. */
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fillDatabase } from './dashboard/fill-database.js';
import { measurePoll } from './dashboard/measure-poll.js';
import { ask, createDashboardStage } from './fleet/dashboard-stage.js';

const { values } = parseArgs({
  options: {
    issues: { type: 'string', default: '10000' },
    events: { type: 'string', default: '100000' },
    requests: { type: 'string', default: '100' },
    look: { type: 'boolean', default: false },
  },
});
const [issues, events, requests] = [Number(values.issues), Number(values.events), Number(values.requests)];
const PAGES = [
  '/',
  '/issues',
  '/issues?q=export&sort=title&dir=asc',
  '/issues?person=ada&state=merged&page=20',
  '/issues/ada/engine/1',
  '/issues/ada/store/4001',
  '/workers',
  '/repositories',
  '/costs',
  '/activity?range=weeks',
];

const stage = await createDashboardStage();
try {
  const started = performance.now();
  stage.edit((state) => fillDatabase(state, { issues, events, now: Date.now() }));
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  process.stdout.write(`${issues} issues, ${events} events, filled in ${seconds} s\n`);
  const base = await stage.startDashboard();
  if (values.look) {
    process.stdout.write(`${base}\n`);
    await once(process, 'SIGINT');
  } else {
    for (const path of PAGES) process.stdout.write(`${await measure(base, path)}\n`);
    const lines = measurePoll(join(stage.fleet.dir, 'state.db'));
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
  times.sort((one, other) => one - other);
  const at = (share: number): string => (times[Math.ceil(share * times.length) - 1] ?? 0).toFixed(1);
  return `${path}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms, ${Math.round(bytes / 1_000)} kB`;
}
