import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { openState } from '../create-state.js';
import { openDatabaseReadOnly } from '../open-database.js';
import { copyDatabase } from './copy-database.js';
import { replaceDatabase } from './replace-database.js';

describe('copying and replacing a database', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  beforeEach(() => {
    directory = createTemporaryDirectory();
  });
  afterEach(() => directory.remove());

  const at = (name: string): string => join(directory.path, name);
  const create = (path: string, ...names: string[]) => {
    const state = openState(path);
    for (const [id, name] of names.entries())
      state.saveRepository({ id: id + 1, owner: 'ada', name, defaultBranch: 'main' });
    return state;
  };
  const read = (path: string): unknown[] => {
    const { sqlite, close } = openDatabaseReadOnly(path);
    try {
      return sqlite.prepare('select name from repositories order by id').pluck().all();
    } finally {
      close();
    }
  };

  it('copies changes that are still in the log of a running poller, readable by the owner alone', () => {
    const umask = process.umask(0);
    const running = create(at('state.db'), 'engine');
    try {
      expect(statSync(at('state.db-wal')).size).toBeGreaterThan(0);
      copyDatabase(at('state.db'), at('copy.db'));
    } finally {
      process.umask(umask);
      running.close();
    }
    expect(read(at('copy.db'))).toEqual(['engine']);
    expect(statSync(at('copy.db')).mode & 0o777).toBe(0o600);
  });

  it('never overwrites a file', () => {
    create(at('state.db'), 'engine').close();
    writeFileSync(at('copy.db'), 'mine');
    expect(() => copyDatabase(at('state.db'), at('copy.db'))).toThrow(/EEXIST/);
    expect(readFileSync(at('copy.db'), 'utf8')).toBe('mine');
  });

  it('replaces a database that was not closed, and keeps it with the changes in its log', () => {
    create(at('backup.db'), 'engine').close();
    // The log of a killed poller: the copies are made while the database is open.
    const killed = create(at('live.db'), 'engine', 'loom');
    for (const suffix of ['', '-wal']) {
      writeFileSync(at(`state.db${suffix}`), readFileSync(at(`live.db${suffix}`)));
      chmodSync(at(`state.db${suffix}`), 0o600);
    }
    killed.close();
    replaceDatabase({ path: at('state.db'), source: at('backup.db'), keepAs: at('old.db') });
    expect(read(at('state.db'))).toEqual(['engine']);
    expect(read(at('old.db'))).toEqual(['engine', 'loom']);
    expect(read(at('backup.db'))).toEqual(['engine']);
    expect(existsSync(at('state.db.restoring'))).toBe(false);
    openState(at('state.db')).close();
  });

  it('replaces a damaged database and keeps its files', () => {
    create(at('backup.db'), 'engine').close();
    writeFileSync(at('state.db'), 'x'.repeat(8_192), { mode: 0o600 });
    writeFileSync(at('state.db-wal'), 'log');
    replaceDatabase({ path: at('state.db'), source: at('backup.db'), keepAs: at('old.db') });
    expect(read(at('state.db'))).toEqual(['engine']);
    expect(readFileSync(at('old.db'), 'utf8')).toBe('x'.repeat(8_192));
    expect(readFileSync(at('old.db-wal'), 'utf8')).toBe('log');
  });

  it('keeps the database if the source is damaged', () => {
    create(at('state.db'), 'loom').close();
    writeFileSync(at('backup.db'), 'x'.repeat(8_192));
    const replace = () =>
      replaceDatabase({ path: at('state.db'), source: at('backup.db'), keepAs: at('old.db') });
    expect(replace).toThrow(/backup\.db is damaged/);
    expect(read(at('state.db'))).toEqual(['loom']);
    expect(existsSync(at('old.db'))).toBe(false);
  });
});
