import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markSecret, matchSecret, readSecret } from '@mergexo/config';
import { holdLock, openState } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../../context.js';
import { backup } from './backup.js';
import { restore } from './restore.js';

const OLD = 'a'.repeat(64);
const NEW = 'b'.repeat(64);

describe('backup and restore', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let printed: string;
  const at = (...names: string[]): string => join(directory.path, ...names);
  const data = (name: string): string => at('data', name);

  beforeEach(() => {
    directory = createTemporaryDirectory();
    printed = '';
    mkdirSync(at('data'), { mode: 0o700 });
    writeFileSync(
      at('mergexo.toml'),
      `[runtime]\nbase_dir = ${JSON.stringify(at('data'))}\n[repo.app]\nowner = "o"\nname = "n"\n`,
    );
    setUp('engine', OLD);
  });
  afterEach(() => directory.remove());

  const setUp = (name: string, secret: string): void => {
    const state = openState(data('state.db'));
    state.saveRepository({ id: 1, owner: 'o', name, defaultBranch: 'main' });
    state.close();
    writeFileSync(data('secret'), `${secret}\n`, { mode: 0o600 });
    markSecret(data('secret'), readSecret(data('secret'), undefined));
  };
  const context = (env: Record<string, string> = {}) =>
    createContext({
      config: at('mergexo.toml'),
      json: true,
      env,
      homeDir: directory.path,
      write: (text) => {
        printed = text;
      },
    });
  const readName = (): string | undefined => {
    const state = openState(data('state.db'));
    try {
      return state.listRepositories()[0]?.name;
    } finally {
      state.close();
    }
  };

  it('restores the database and the secret, and keeps the replaced files', async () => {
    backup(context(), at('copy'));
    setUp('loom', NEW);
    await restore(context(), at('copy'), { yes: true });
    const { kept } = JSON.parse(printed);
    expect(readName()).toBe('engine');
    expect(readFileSync(data('secret'), 'utf8')).toBe(`${OLD}\n`);
    expect(matchSecret(data('secret'), readSecret(data('secret'), undefined))).toBe('same');
    expect(kept).toHaveLength(2);
    for (const path of kept) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(kept[1], 'utf8')).toBe(`${NEW}\n`);
  });

  it('writes private files, and leaves no partial directory behind', () => {
    backup(context(), at('copy'));
    expect(statSync(at('copy')).mode & 0o777).toBe(0o700);
    for (const file of ['state.db', 'secret']) expect(statSync(at('copy', file)).mode & 0o777).toBe(0o600);
    expect(readdirSync(at('copy')).sort()).toEqual(['backup.json', 'mergexo.toml', 'secret', 'state.db']);
    rmSync(data('secret'));
    expect(() => backup(context(), at('second'))).toThrow(/signing secret is missing/);
    expect(readdirSync(directory.path).filter((name) => name.startsWith('second'))).toEqual([]);
  });

  it('never writes into an existing directory', () => {
    mkdirSync(at('copy'));
    expect(() => backup(context(), at('copy'))).toThrow(/exists already/);
  });

  it.each(['poller.lock', 'up.lock'])('changes nothing while a process holds %s', async (name) => {
    backup(context(), at('copy'));
    setUp('loom', NEW);
    const holder = { pid: 1, host: 'here', startedAt: 'now', purpose: 'the poller' };
    const lock = holdLock(data(name), holder);
    try {
      await expect(restore(context(), at('copy'), { yes: true })).rejects.toThrow(/Another process/);
    } finally {
      lock.release();
    }
    expect([readName(), readFileSync(data('secret'), 'utf8')]).toEqual(['loom', `${NEW}\n`]);
  });

  it('needs a confirmation, and changes nothing without one', async () => {
    backup(context(), at('copy'));
    setUp('loom', OLD);
    await expect(restore(context(), at('copy'), {})).rejects.toThrow(/Add --yes/);
    await restore({ ...context(), confirm: async () => false }, at('copy'), {});
    expect(readName()).toBe('loom');
    await restore({ ...context(), confirm: async () => true }, at('copy'), {});
    expect(readName()).toBe('engine');
  });

  it('changes nothing if the directory is not a complete backup', async () => {
    backup(context(), at('copy'));
    setUp('loom', OLD);
    for (const spoil of [
      () => writeFileSync(at('copy', 'state.db'), 'x'.repeat(8_192)),
      () => writeFileSync(at('copy', 'backup.json'), '{"version":2}'),
      () => rmSync(at('copy', 'backup.json')),
    ]) {
      spoil();
      await expect(restore(context(), at('copy'), { yes: true })).rejects.toThrow(/damaged|not a backup/);
    }
    await expect(restore(context(), at('nowhere'), { yes: true })).rejects.toThrow(/not a backup/);
    expect(readName()).toBe('loom');
  });

  it('refuses to start with a mismatched secret if the command dies before it replaces the secret', async () => {
    backup(context(), at('copy'));
    setUp('loom', NEW);
    // A directory in place of the draft makes the copy fail, as if the command was killed at that point.
    mkdirSync(data('secret.restoring'));
    await expect(restore(context(), at('copy'), { yes: true })).rejects.toThrow();
    expect(matchSecret(data('secret'), readSecret(data('secret'), undefined))).toBe('foreign');
    rmSync(data('secret.restoring'), { recursive: true });
    await restore(context(), at('copy'), { yes: true });
    expect(matchSecret(data('secret'), readSecret(data('secret'), undefined))).toBe('same');
    expect(readName()).toBe('engine');
  });

  it('leaves a secret from the environment out of the backup, and says so', async () => {
    rmSync(data('secret'));
    backup(context({ MERGEXO_SECRET: OLD }), at('copy'));
    expect(JSON.parse(printed)).toMatchObject({ secret: 'environment' });
    expect(existsSync(at('copy', 'secret'))).toBe(false);
    await restore(context({ MERGEXO_SECRET: OLD }), at('copy'), { yes: true });
    expect(existsSync(data('secret'))).toBe(false);
  });
});
