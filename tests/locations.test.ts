import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findConfig, findDataDirectory } from '@mergexo/config';
import { useTemporaryDirectory } from '@mergexo/testkit';

const CLI = fileURLToPath(new URL('../apps/cli/bin/mergexo.js', import.meta.url));

describe('mergexo outside a checkout', () => {
  const pathTo = useTemporaryDirectory();
  beforeEach(() => {
    for (const name of ['home', 'one', 'two']) mkdirSync(pathTo(name));
  });

  const run = (cwd: string, args: readonly string[], env: Record<string, string> = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', CLI, ...args], {
      cwd: pathTo(cwd),
      env: { PATH: process.env['PATH'], HOME: pathTo('home'), ...env },
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  const init = (cwd: string, ...args: string[]) => {
    const done = run(cwd, ['init', '--repo', 'ada/engine', '--no-labels', ...args]);
    expect(done).toMatchObject({ status: 0 });
    return done;
  };
  const userConfig = (): string => {
    const start = process.cwd();
    process.chdir(pathTo('home'));
    const { path } = findConfig({ configPath: undefined, env: {}, homeDir: pathTo('home') });
    process.chdir(start);
    return path;
  };
  const data = (): string => findDataDirectory({ env: {}, homeDir: pathTo('home') });

  it('keeps config and data in the directories of the platform, and all commands agree on them', () => {
    init('one');
    expect([existsSync(userConfig()), existsSync(join(data(), 'state.db'))]).toEqual([true, true]);
    expect(existsSync(pathTo('one/mergexo.toml'))).toBe(false);

    expect(run('two', ['config', 'check'])).toEqual({
      status: 0,
      stdout: `${userConfig()} is valid: ada/engine.\n`,
      stderr: `Config: ${userConfig()}\n`,
    });
    const uninstalled = run('two', ['uninstall', '--delete-data', '--dry-run', '--json']);
    expect(JSON.parse(uninstalled.stdout).data).toContain(join(data(), 'state.db'));
    expect(run('two', ['backup', pathTo('copy')])).toMatchObject({ status: 0 });
    expect(readFileSync(pathTo('copy/mergexo.toml'), 'utf8')).toBe(readFileSync(userConfig(), 'utf8'));
    expect(JSON.parse(run('two', ['status', '--json']).stdout)).toMatchObject({ config: userConfig() });
    const doctor = JSON.parse(run('two', ['doctor', '--role', 'dashboard', '--json']).stdout);
    const details = doctor.checks.map(({ detail }: { detail: string }) => detail).join('\n');
    expect(details).toContain(`${userConfig()}: one repository`);
    expect(run('two', ['service', 'print', '--systemd']).stdout).toContain(`"--config" "${userConfig()}"`);
  });

  it('prefers a mergexo.toml in the working directory, and prints its path', () => {
    init('one');
    const text = `[runtime]\nbase_dir = "${pathTo('own')}"\n[repo.b]\nowner = "bob"\nname = "loom"\n`;
    writeFileSync(pathTo('two/mergexo.toml'), text);
    const local = join(realpathSync(pathTo('two')), 'mergexo.toml');
    expect(run('two', ['config', 'check'])).toMatchObject({
      stdout: `${local} is valid: bob/loom.\n`,
      stderr: `Config: ${local}\n`,
    });
    run('two', ['init', '--no-labels']);
    expect(existsSync(pathTo('own/state.db'))).toBe(true);
  });

  it('prints no config path if the user named the file, and none on standard error with --json', () => {
    init('one');
    expect(run('two', ['config', 'check', '--config', userConfig()]).stderr).toBe('');
    expect(run('two', ['config', 'check'], { MERGEXO_CONFIG: userConfig() }).stderr).toBe('');
    expect(run('two', ['config', 'check', '--json']).stderr).toBe('');
  });

  it('names both places if there is no config', () => {
    const { status, stderr } = run('one', ['status']);
    expect(status).toBe(1);
    const local = join(realpathSync(pathTo('one')), 'mergexo.toml');
    expect(stderr).toContain(`${userConfig()} has 1 problem`);
    expect(stderr).toContain(`the file does not exist, and neither does ${local}; run \`npx mergexo init\``);
  });

  it('writes the files for compose into the working directory', () => {
    init('one', '--compose');
    for (const name of ['mergexo.toml', '.env', 'docker-compose.yml'])
      expect(existsSync(join(pathTo('one'), name))).toBe(true);
    expect(existsSync(userConfig())).toBe(false);
  });
});
