/** `npm run chaos:ledger -- --runs 1000 --seed 7` runs many random schedules against the ledger. */
import { parseArgs } from 'node:util';
import { silentLog } from '@mergexo/core/basics';
import { chooseRedisKind, startEmbeddedRedis } from '@mergexo/queue';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { runSchedules } from './chaos/run-schedules.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const directory = createTemporaryDirectory();
const kind = chooseRedisKind(process.env['PATH'] ?? '');
const redis = await startEmbeddedRedis({ dir: directory.path, kind, log: silentLog });
const started = performance.now();
const result = await runSchedules({
  target: redis.target,
  runs: Number(values.runs),
  seed: Number(values.seed),
});
const seconds = ((performance.now() - started) / 1_000).toFixed(1);
process.stdout.write(
  `${result.failed ? 'FAILED' : 'passed'}: ${result.runs} schedules on ${kind}, seed ${values.seed}, ${seconds} s; ` +
    `turns done ${result.done}, blocked ${result.blocked}\n${result.report}\n`,
);
await redis.stop();
directory.remove();
process.exit(result.failed ? 1 : 0);
