import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startTwin, type Twin } from '@mergexo/github-twin';
import { Sqlite } from '@mergexo/state';
import { createTemporaryDirectory, eventually, onlyWith, startProgram, untilPrinted } from '@mergexo/testkit';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const POLLER = join(ROOT, 'apps/poller/dist/main.js');
const OLD_DATABASE = join(ROOT, 'packages/state/fixtures/first.sql');
/** Makes a write beyond the limit fail as on a full disk, instead of killing the process. */
const SURVIVE = "data:text/javascript,process.on('SIGXFSZ',()=>{})";
const missing = findMissing();

/** Simulates a full or broken disk with a file size limit, which makes a write fail halfway and needs no privileges. */
onlyWith(missing).describe('a full disk', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let twin: Twin;
  let config: string;
  let base: string;
  beforeEach(async () => {
    directory = createTemporaryDirectory();
    base = join(directory.path, 'data');
    config = join(directory.path, 'mergexo.toml');
    twin = await startTwin({
      seed: { users: [{ login: 'alice' }], repos: [{ name: 'alice/app', files: { a: 'a\n' } }] },
    });
    writeFileSync(
      config,
      `[runtime]\nbase_dir = "${base}"\npoll_interval_seconds = 0.3\nvisibility_window_seconds = 1\n` +
        `[github]\napi_url = "${twin.apiUrl}"\n[repo.app]\nowner = "alice"\nname = "app"\n`,
    );
  });
  afterEach(async () => {
    await twin.stop();
    directory.remove();
  });

  const env = () => ({ GITHUB_TOKEN: twin.tokens['alice'], NODE_OPTIONS: `--import "${SURVIVE}"` });

  it('makes the poller name the file and the next step, and stop cleanly; the poller can start again later', async () => {
    const poller = startProgram(POLLER, ['--config', config], env());
    await untilPrinted(poller, 'poller is ready');
    execFileSync('prlimit', ['--pid', String(poller.pid), '--fsize=1:1']);
    expect(await poller.exited).toBe(1);
    expect(poller.output()).toMatch(
      /^mergexo poller: .*state\.db(; nothing was written| cannot be read or written).*start MergeXO again/m,
    );
    expect(poller.output()).not.toMatch(/^\s+at .*\(file:|Uncaught|unhandled/m);
    expect(existsSync(join(base, 'redis', 'redis.pid'))).toBe(false);

    const again = startProgram(POLLER, ['--config', config], env());
    await eventually(() => expect(again.output()).toContain('poller is ready'));
    again.kill('SIGTERM');
    expect(await again.exited).toBe(0);
  });

  it('makes a migration name the file and the next step, and fail without changes', async () => {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    const path = join(base, 'state.db');
    const old = new Sqlite(path);
    old.exec(readFileSync(OLD_DATABASE, 'utf8'));
    old.close();
    chmodSync(path, 0o600);
    writeFileSync(join(base, 'secret'), `${'a'.repeat(64)}\n`, { mode: 0o600 });
    const args = ['--fsize=33000', process.execPath, POLLER, '--config', config];
    const failed = promisify(execFile)('prlimit', args, { env: { ...process.env, ...env() } });
    const error = await failed.then(
      () => undefined,
      (reason) => reason,
    );
    expect(error?.code).toBe(1);
    expect(error?.stderr).toMatch(/^mergexo poller: .*state\.db.*start MergeXO again/m);
    expect(error?.stderr).not.toMatch(/cannot rollback|^\s+at /m);
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });

    const poller = startProgram(POLLER, ['--config', config], env());
    await eventually(() => expect(poller.output()).toContain('poller is ready'));
    poller.kill('SIGTERM');
    expect(await poller.exited).toBe(0);
  });
});

function findMissing(): string | undefined {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'prlimit is not installed';
  }
}
