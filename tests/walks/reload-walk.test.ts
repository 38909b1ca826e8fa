import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createState, openDatabaseReadOnly, readHealth } from '@mergexo/state';
import { createTemporaryDirectory, eventually, type Program, startProgram } from '@mergexo/testkit';
import { createWalk, type Walk } from '../fleet/walk.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('a changed config file', () => {
  const directory = createTemporaryDirectory();
  const config = join(directory.path, 'mergexo.toml');
  const write = (limits: string, workers = 1): void =>
    writeFileSync(
      config,
      `[runtime]\nbase_dir = "${directory.path}/data"\npoll_interval_seconds = 0.2\nworker_count = ${workers}\n` +
        `[github]\napi_url = "http://127.0.0.1:1"\n[limits]\n${limits}\n[repo.app]\nowner = "alice"\nname = "app"\n`,
    );
  let poller: Program;
  beforeAll(async () => {
    write('max_open_prs = 3');
    poller = startProgram(join(ROOT, 'apps/poller/dist/main.js'), ['--config', config], {
      GITHUB_TOKEN: 'ghp_none',
    });
    await eventually(() => expect(poller.output()).toContain('poller is ready'));
  });
  afterAll(async () => {
    poller.kill('SIGTERM');
    await poller.exited;
    directory.remove();
  });

  const warnings = (): string[] => {
    const database = openDatabaseReadOnly(join(directory.path, 'data/state.db'));
    try {
      const about = { now: Date.now(), pollIntervalMs: 1_000, configured: ['alice/app'] };
      return readHealth(createState(database), about).warnings.map(({ message }) => message);
    } finally {
      database.close();
    }
  };

  it('is loaded by the running poller; a bad one changes nothing and is reported', async () => {
    write('max_open_prs = 0');
    await eventually(() =>
      expect(warnings()).toEqual([expect.stringMatching(/^Config file not loaded since .*max_open_prs/)]),
    );
    expect(poller.output()).toContain('MergeXO keeps the last valid config');

    write('max_open_prs = 4', 2);
    poller.kill('SIGHUP');
    await eventually(() =>
      expect(warnings()).toEqual([
        expect.stringMatching(/^The config file changed: .*runtime\.worker_count$/),
      ]),
    );
    expect(poller.output()).toMatch(/"keys":\["limits\.max_open_prs"/);

    write('max_open_prs = 4');
    await eventually(() => expect(warnings()).toEqual([]));
  });
});

describe('a changed config file of a worker', () => {
  const GUIDE = 'coding_guidelines_path = "GUIDE.md"\n';
  let walk: Walk;
  beforeAll(async () => {
    walk = await createWalk({ files: { 'GUIDE.md': 'Indent with tabs.\n' } });
  });
  afterAll(() => walk?.closeAndCheck());

  const promptOf = async (issue: number): Promise<string> => {
    await walk.until(() => expect(walk.runOf(issue)?.status).toBe('awaiting_feedback'));
    return walk.agentRequests(issue)[0]?.prompt ?? '';
  };
  const listNotices = async (): Promise<string[]> => {
    const { output } = await walk.runCli('status', '--json');
    return JSON.parse(output).workers.flatMap(({ notices }: { notices: string[] }) => notices);
  };

  it('takes effect in the next turn; a bad one changes nothing, and the poller knows about it', async () => {
    const config = join(walk.dir, 'mergexo.toml');
    const good = readFileSync(config, 'utf8');
    walk.startPoller();
    const worker = walk.startWorker();
    await walk.ready(worker, 'worker is ready');
    writeFileSync(config, `${good}coding_guidelines_path = 3\n`);
    await walk.until(async () => {
      // The command line reads the file too, and needs a good one.
      expect(worker.output()).toContain('this worker keeps the last valid config');
      const leases = walk.withState((state) => state.listWorkerLeases());
      expect(leases.map(({ notices }) => notices)).toEqual([['config-not-loaded']]);
    });
    expect(await promptOf(await walk.openIssue('agent:bugfix'))).not.toContain('Indent with tabs.');
    writeFileSync(config, `${good}${GUIDE}`);
    await walk.until(async () => expect(await listNotices()).toEqual([]));
    expect(await promptOf(await walk.openIssue('agent:bugfix'))).toContain('Indent with tabs.');
  });
});
