import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HealthReport } from '@mergexo/core/health';
import { createState, openDatabaseReadOnly, readHealth } from '@mergexo/state';
import { createTemporaryDirectory, eventually, startProgram } from '@mergexo/testkit';
import { createWalk, type Walk } from '../fleet/walk.js';

const POLLER = fileURLToPath(new URL('../../apps/poller/dist/main.js', import.meta.url));

describe('the health record of the poller', () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await createWalk();
  });
  afterAll(() => walk.close());

  const find = (subject: string): HealthReport | undefined =>
    walk.withState((state) => state.listHealth().find((report) => report.subject.split('/')[0] === subject));
  const codes = () => ['poller', 'redis', 'github', 'repo'].map((subject) => find(subject)?.code);

  it('distinguishes a live poller, a revoked token and a stop', async () => {
    const poller = await walk.ready(walk.startPoller(), 'poller is ready');
    await eventually(() => expect(codes()).toEqual(['ok', 'ok', 'ok', 'ok']));
    const okAt = find('repo')?.okAt ?? 0;

    walk.twin.control.expireToken('robot');
    await eventually(() => expect(codes()).toEqual(['ok', 'ok', 'token-rejected', 'token-rejected']));
    // While polls fail, the time of the last complete poll does not change.
    expect(find('repo')?.okAt).toBeGreaterThanOrEqual(okAt);

    poller.kill('SIGTERM');
    expect(await poller.exited).toBe(0);
    expect(find('poller')?.code).toBe('stopped');
  });
});

it('a poller that stops together with its own Redis reports no Redis problem', async () => {
  const directory = createTemporaryDirectory();
  const config = join(directory.path, 'mergexo.toml');
  writeFileSync(
    config,
    `[runtime]\nbase_dir = "${directory.path}/data"\npoll_interval_seconds = 0.05\nvisibility_window_seconds = 1\n` +
      '[github]\napi_url = "http://127.0.0.1:1"\n[repo.app]\nowner = "alice"\nname = "app"\n',
  );
  const poller = startProgram(POLLER, ['--config', config], { GITHUB_TOKEN: 'ghp_none' });
  try {
    await eventually(() => expect(poller.output()).toContain('poller is ready'));
    poller.kill('SIGTERM');
    expect(await poller.exited).toBe(0);
    expect(poller.output()).not.toMatch(/failed in Redis|a step of the poll cycle failed/);
  } finally {
    poller.kill('SIGKILL');
    await poller.exited;
    directory.remove();
  }
});

it('a poller reports a missing GitHub login from its first heartbeat, even if `gh` responds slowly', async () => {
  const directory = createTemporaryDirectory();
  const config = join(directory.path, 'mergexo.toml');
  writeFileSync(
    config,
    `[runtime]\nbase_dir = "${directory.path}/data"\npoll_interval_seconds = 60\n` +
      '[repo.app]\nowner = "alice"\nname = "app"\n',
  );
  const gh = `#!${process.execPath}\nsetTimeout(() => process.exit(1), 2_000);\n`;
  writeFileSync(join(directory.path, 'gh'), gh, { mode: 0o755 });
  const path = join(directory.path, 'data', 'state.db');
  const read = () => {
    if (!existsSync(path)) return undefined;
    const database = openDatabaseReadOnly(path);
    try {
      const about = { now: Date.now(), pollIntervalMs: 60_000, configured: ['alice/app'] };
      return readHealth(createState(database), about);
    } finally {
      database.close();
    }
  };
  const env = { GITHUB_TOKEN: '', GH_TOKEN: '', PATH: directory.path };
  const poller = startProgram(POLLER, ['--config', config], env);
  try {
    const first = await eventually(() => {
      const health = read();
      expect(health?.pollerRuns).toBe(true);
      return health;
    });
    expect(first?.problems).toMatchObject([{ code: 'no-login' }]);
  } finally {
    poller.kill('SIGTERM');
    await poller.exited;
    directory.remove();
  }
});
