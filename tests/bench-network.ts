/** `npm run bench:network` measures MergeXO's times and GitHub requests on a network with latency. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawWaterfall } from './network/draw-waterfall.js';
import { listRequests } from './network/list-requests.js';
import { measureNetwork, measureProcesses } from './network/measure-network.js';
import { measureService, type ServiceRounds } from './network/measure-service.js';
import { renderTables } from './network/render-tables.js';
import type { Result } from './network/result.js';
import { chooseTypical, type Round } from './network/round.js';
import { parseNumbers, parseRows, ROWS } from './network/rows.js';

/** The latency for the waterfall and the request lists. */
const SHOWN_LATENCY_MS = 150;
const HELP = `Usage: npm run bench:network -- [options]

Measures the real poller and worker against an offline GitHub that delays every API answer.
Prints Markdown tables. Progress goes to standard error.

  --rounds N         rounds per row (default: 10)
  --latencies LIST   mean delays in milliseconds, each varied by up to 20 % (default: 0,50,150,300)
  --rows LIST        rows to measure, or "all" (default: all but idle-cpu and memory)
  --json             print JSON instead of tables
  --waterfall FILE   draw the requests of one reply at ${SHOWN_LATENCY_MS} ms as SVG
  --requests DIR     write the requests of one reply and one start at ${SHOWN_LATENCY_MS} ms as text
  --help             print this help

Rows:
${Object.entries(ROWS)
  .map(([name, text]) => `  ${name.padEnd(17)}  ${text}`)
  .join('\n')}

Example:
  npm run bench:network -- --rows service-reply --latencies 150 --rounds 3
`;

const note = (text: string): void => void process.stderr.write(`${text}\n`);

try {
  await main();
} catch (error) {
  note(`bench:network: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '10' },
      latencies: { type: 'string', default: '0,50,150,300' },
      rows: { type: 'string' },
      json: { type: 'boolean', default: false },
      waterfall: { type: 'string' },
      requests: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const rows = parseRows(values.rows);
  const [rounds = 0, ...others] = parseNumbers('--rounds', values.rounds);
  if (rounds < 1 || others.length > 0) throw new Error('--rounds must be one number, at least 1.');
  const results: Result[] = [];
  let shown: ServiceRounds | undefined;
  for (const latencyMs of parseNumbers('--latencies', values.latencies)) {
    const measured = await measureNetwork({ latencyMs, rounds, note }, rows);
    results.push(...measured.results);
    // Also prints each latency's results as soon as they are known, because the whole run takes a long time.
    if (measured.results.length > 0) note(renderTables(measured.results, []));
    if (latencyMs === SHOWN_LATENCY_MS) shown = measured.service;
  }
  const usages = await measureProcesses({ rounds, note }, rows);
  if (values.waterfall !== undefined || values.requests !== undefined) {
    const { replies, starts } =
      shown ?? (await measureService({ latencyMs: SHOWN_LATENCY_MS, rounds, note }));
    show({ reply: chooseTypical(replies), start: chooseTypical(starts) }, values);
  }
  const text = values.json
    ? `${JSON.stringify({ results, usages }, null, 2)}\n`
    : renderTables(results, usages);
  process.stdout.write(text);
}

function show(
  { reply, start }: { reply: Round; start: Round },
  { waterfall, requests }: { waterfall?: string | undefined; requests?: string | undefined },
): void {
  if (waterfall !== undefined)
    writeFileSync(
      waterfall,
      drawWaterfall(reply, `Requests of one reply, with a latency of ${SHOWN_LATENCY_MS} ms`),
    );
  if (requests === undefined) return;
  writeFileSync(join(requests, 'requests-feedback.txt'), listRequests(reply));
  writeFileSync(join(requests, 'requests-start.txt'), listRequests(start));
}
