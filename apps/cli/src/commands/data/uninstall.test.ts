import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { holdLock, openState } from '@mergexo/state';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../../context.js';
import { type UninstallOptions, uninstall } from './uninstall.js';

describe('uninstall', () => {
  const pathTo = useTemporaryDirectory();
  const unit = (): string => pathTo('.config/systemd/user/mergexo.service');
  const put = (path: string, text = 'x', mode = 0o644): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  };
  const run = async (
    options: UninstallOptions,
    { confirm, base = pathTo('data') }: { confirm?: boolean; base?: string } = {},
  ) => {
    put(
      pathTo('mergexo.toml'),
      `[runtime]\nbase_dir = ${JSON.stringify(base)}\n[repo.a]\nowner = "o"\nname = "n"\n`,
    );
    let printed = '';
    const questions: string[] = [];
    const context = createContext({
      ...{ config: pathTo('mergexo.toml'), json: true, homeDir: pathTo(), env: { PATH: pathTo('bin') } },
      write: (text) => {
        printed += text;
      },
      ...(confirm !== undefined && {
        confirm: async (question: string) => {
          questions.push(question);
          return confirm;
        },
      }),
    });
    await uninstall(context, options);
    return { ...JSON.parse(printed), questions };
  };
  beforeEach(() => {
    mkdirSync(pathTo('data'), { mode: 0o700 });
    openState(pathTo('data/state.db')).close();
    for (const name of ['secret', 'logs/a.log', 'repos/o/n.git/HEAD', 'mine.txt', 'other/x'])
      put(pathTo('data', name));
    put(pathTo('outside/kept'));
    symlinkSync(pathTo('outside'), pathTo('data/checkouts'));
    put(unit(), '[Unit]\nDescription=MergeXO: GitHub issues\n');
    put(pathTo('bin/systemctl'), `#!/bin/sh\necho "$@" >> ${pathTo('calls')}\n`, 0o755);
    chmodSync(pathTo('bin/systemctl'), 0o755);
  });

  it('stops and removes the service, and keeps the data', async () => {
    const result = await run({}, { confirm: true });
    expect(result).toMatchObject({ removed: true, service: unit(), data: [] });
    expect(result.questions).toEqual([expect.stringContaining(unit())]);
    expect(readFileSync(pathTo('calls'), 'utf8')).toBe(
      '--user disable --now mergexo\n--user daemon-reload\n',
    );
    expect([existsSync(unit()), existsSync(pathTo('data/state.db'))]).toEqual([false, true]);
  });

  it("deletes MergeXO's own files on request, and nothing else", async () => {
    const result = await run({ deleteData: true, yes: true });
    expect(result.data.filter((path: string) => !/-(?:shm|wal)$/.test(path))).toEqual(
      ['checkouts', 'logs', 'repos', 'secret', 'state.db'].map((name) => pathTo('data', name)),
    );
    expect(readdirSync(pathTo('data')).sort()).toEqual(['mine.txt', 'other']);
    expect(existsSync(pathTo('outside/kept'))).toBe(true);
    expect(existsSync(pathTo('mergexo.toml'))).toBe(true);
  });

  it('changes nothing without a confirmation, or with --dry-run', async () => {
    expect(await run({ deleteData: true }, { confirm: false })).toMatchObject({ removed: false });
    expect(await run({ deleteData: true, dryRun: true })).toMatchObject({ removed: false });
    await expect(run({ deleteData: true })).rejects.toThrow('Add --yes to confirm');
    expect([existsSync(unit()), existsSync(pathTo('data/secret')), existsSync(pathTo('calls'))]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('deletes no data while MergeXO runs', async () => {
    const lock = holdLock(pathTo('data/poller.lock'), {
      ...{ pid: process.pid, host: hostname(), startedAt: '2026-01-01T00:00:00Z', purpose: 'the poller' },
    });
    try {
      await expect(run({ deleteData: true, yes: true })).rejects.toThrow('the poller');
      expect(existsSync(pathTo('data/secret'))).toBe(true);
    } finally {
      lock.release();
    }
  });

  it.each([
    ['the home directory', '', /contains your home directory/],
    ['a directory without a database', 'outside', /contains no MergeXO database/],
  ])('deletes nothing in %s', async (_name, base, reason) => {
    if (base === '') openState(pathTo('state.db')).close();
    await expect(run({ deleteData: true, yes: true }, { base: pathTo(base) })).rejects.toThrow(reason);
    expect([existsSync(unit()), existsSync(pathTo('outside/kept'))]).toEqual([true, true]);
  });

  it("ignores somebody else's service file", async () => {
    put(unit(), '[Unit]\nDescription=Other\n');
    expect(await run({})).toMatchObject({ service: null });
    expect(existsSync(unit())).toBe(true);
  });

  it('keeps everything if the service cannot be stopped', async () => {
    put(pathTo('bin/systemctl'), '#!/bin/sh\necho broken >&2\nexit 1\n', 0o755);
    await expect(run({ deleteData: true, yes: true })).rejects.toThrow(/systemctl.*failed.*broken/s);
    expect([existsSync(unit()), existsSync(pathTo('data/secret'))]).toEqual([true, true]);
  });
});
