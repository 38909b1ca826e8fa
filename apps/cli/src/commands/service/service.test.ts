import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { onlyWith, useTemporaryDirectory } from '@mergexo/testkit';
import { type Context, createContext } from '../../context.js';
import { refuseTemporaryCopy } from '../../service/build-service.js';
import { installService } from './install.js';
import { showService } from './status.js';
import { uninstallService } from './uninstall.js';

// The test uses a fake systemctl, because containers have no service manager.
const onLinux = onlyWith(process.platform === 'linux' ? undefined : 'not on Linux');

onLinux.describe('the service', () => {
  const pathTo = useTemporaryDirectory();
  const unit = (): string => pathTo('.config/systemd/user/mergexo.service');
  const calls = (): string[] =>
    existsSync(pathTo('calls')) ? readFileSync(pathTo('calls'), 'utf8').trim().split('\n') : [];
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  /** A systemctl that notes its arguments and then runs the given shell code. */
  const fakeSystemctl = (code = ''): void => {
    put(pathTo('bin/systemctl'), `#!/bin/sh\necho "$@" >> '${pathTo('calls')}'\n${code}\n`);
    chmodSync(pathTo('bin/systemctl'), 0o755);
  };
  const run = async (command: (context: Context) => unknown) => {
    put(
      pathTo('mergexo.toml'),
      `[runtime]\nbase_dir = "${pathTo('data')}"\n[repo.a]\nowner = "o"\nname = "n"\n`,
    );
    let printed = '';
    const context = createContext({
      ...{ config: pathTo('mergexo.toml'), json: true, homeDir: pathTo(), env: { PATH: pathTo('bin') } },
      write: (text) => {
        printed += text;
      },
    });
    const result = await command(context);
    return { result, ...JSON.parse(printed) };
  };
  beforeEach(() => fakeSystemctl());

  it('is installed, enabled and started', async () => {
    expect(await run(installService)).toMatchObject({
      ok: true,
      kind: 'systemd',
      path: unit(),
      updated: false,
    });
    expect(calls()).toEqual(['--user daemon-reload', '--user enable mergexo', '--user restart mergexo']);
    expect(readFileSync(unit(), 'utf8')).toContain(`"up" "--config" "${pathTo('mergexo.toml')}"`);
    expect(readFileSync(unit(), 'utf8')).toContain(`\nWorkingDirectory=${pathTo()}\n`);
    expect(statSync(unit()).mode & 0o777).toBe(0o600);
    expect(existsSync(`${unit()}.new`)).toBe(false);
  });

  it('is updated and restarted by a second installation', async () => {
    await run(installService);
    expect(await run(installService)).toMatchObject({ ok: true, updated: true });
    expect(calls().filter((call) => call === '--user restart mergexo')).toHaveLength(2);
  });

  it("does not replace a file that is not MergeXO's", async () => {
    put(unit(), '[Unit]\nDescription=Something else\n');
    await expect(run(installService)).rejects.toThrow(/is not MergeXO's.*Nothing was changed/);
    expect(readFileSync(unit(), 'utf8')).toContain('Something else');
    expect(calls()).toEqual([]);
  });

  it('names the failed command and the next step', async () => {
    fakeSystemctl(`echo "Failed to connect to bus" >&2; exit 1`);
    await expect(run(installService)).rejects.toThrow(
      /`systemctl --user daemon-reload` failed: Failed to connect to bus\. The file .* was written\. Start the service yourself/,
    );
  });

  it.each([
    ['active', 'running', 'enabled', true, true],
    ['failed', 'failed', 'enabled', false, true],
    ['inactive', 'dead', 'disabled', false, false],
  ])('shows that it is %s', async (active, sub, file, running, atLogin) => {
    await run(installService);
    fakeSystemctl(`printf 'ActiveState=${active}\\nSubState=${sub}\\nUnitFileState=${file}\\n'`);
    expect(await run(showService)).toMatchObject({
      ...{ result: running, ok: running, installed: true, running },
      ...{ starts_at_login: atLogin, detail: `${active}, ${sub}` },
    });
  });

  it('shows that it is not installed', async () => {
    expect(await run(showService)).toMatchObject({ result: false, installed: false });
    expect(calls()).toEqual([]);
  });

  it('is stopped before its file is removed, and the config is kept', async () => {
    await run(installService);
    fakeSystemctl(`[ "$2" != disable ] || [ -f '${unit()}' ] || exit 1`);
    expect(await run(uninstallService)).toMatchObject({ ok: true, removed: true });
    expect(calls().slice(-2)).toEqual(['--user disable --now mergexo', '--user daemon-reload']);
    expect([existsSync(unit()), existsSync(pathTo('mergexo.toml'))]).toEqual([false, true]);
    expect(await run(uninstallService)).toMatchObject({ ok: true, removed: false });
  });
});

describe('a copy of MergeXO', () => {
  it("cannot become a service while it is in npm's cache, because npm may delete it", () => {
    const cached = '/home/ada/.npm/_npx/1f2e/node_modules/mergexo/apps/cli/bin/mergexo.js';
    expect(() => refuseTemporaryCopy(cached)).toThrow(/npm install -g mergexo/);
    expect(() => refuseTemporaryCopy('/usr/lib/node_modules/mergexo/apps/cli/bin/mergexo.js')).not.toThrow();
  });
});
