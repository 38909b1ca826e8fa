import { useTemporaryDirectory } from '@mergexo/testkit';
import { Sqlite } from './better-sqlite3.js';
import { createRowCache } from './row-cache.js';

describe('createRowCache', () => {
  const pathOf = useTemporaryDirectory();
  let sqlite: Sqlite;
  let loads: number;
  const open = (): Sqlite => new Sqlite(pathOf('state.db'));
  const load = (): unknown[] => {
    loads += 1;
    return sqlite.prepare('SELECT name FROM pulls').pluck().all();
  };
  beforeEach(() => {
    loads = 0;
    sqlite = open();
    sqlite.exec("PRAGMA journal_mode = WAL; CREATE TABLE pulls (name); INSERT INTO pulls VALUES ('a')");
  });
  afterEach(() => {
    sqlite.close();
  });

  it('loads the rows of each repository once while nothing changes', () => {
    const cache = createRowCache<unknown[]>(sqlite);
    for (const repoId of [1, 1, 2, 2]) expect(cache.read(repoId, load)).toEqual(['a']);
    expect(loads).toBe(2);
  });

  it('loads again after a change by this process', () => {
    const cache = createRowCache<unknown[]>(sqlite);
    cache.read(1, load);
    sqlite.exec("INSERT INTO pulls VALUES ('b')");
    cache.forget();
    expect(cache.read(1, load)).toEqual(['a', 'b']);
  });

  it('loads again after a change by another process', () => {
    const cache = createRowCache<unknown[]>(sqlite);
    cache.read(1, load);
    const other = open();
    other.exec("INSERT INTO pulls VALUES ('b')");
    other.close();
    expect(cache.read(1, load)).toEqual(['a', 'b']);
  });

  it('keeps no rows from a transaction that is rolled back', () => {
    const cache = createRowCache<unknown[]>(sqlite);
    cache.read(1, load);
    sqlite.exec("BEGIN; INSERT INTO pulls VALUES ('b')");
    cache.forget();
    expect(cache.read(1, load)).toEqual(['a', 'b']);
    sqlite.exec('ROLLBACK');
    expect(cache.read(1, load)).toEqual(['a']);
  });
});
