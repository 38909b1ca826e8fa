import { chmodSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { Sqlite } from './better-sqlite3.js';
import { openState } from './create-state.js';
import { openDatabase, openDatabaseReadOnly } from './open-database.js';

describe('openDatabase', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let path: string;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    path = join(directory.path, 'deep', 'state.db');
  });
  afterEach(() => directory.remove());

  it('creates private files in a private directory under any umask', () => {
    const umask = process.umask(0);
    try {
      const database = openDatabase(path);
      database.db.run('create table t (a)');
      for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
      expect(statSync(join(directory.path, 'deep')).mode & 0o777).toBe(0o700);
      database.close();
    } finally {
      process.umask(umask);
    }
  });

  it('reopens its database with all rows', () => {
    const state = openState(path);
    state.saveRepository({ id: 9, owner: 'o', name: 'n', defaultBranch: 'main' });
    state.close();
    const again = openState(path);
    expect(again.readRepository(9)).toMatchObject({ owner: 'o', name: 'n' });
    again.close();
  });

  it('refuses a database that others can read, and names the chmod command', () => {
    openDatabase(path).close();
    chmodSync(path, 0o644);
    expect(() => openDatabase(path)).toThrow(/open to other users \(mode 644\).*chmod 600/);
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['an empty file', (p) => truncateSync(p, 0), /damaged \(the file is empty\)/],
    [
      'a file that is not a database',
      (p) => writeFileSync(p, 'hello '.repeat(400)),
      /damaged \(file is not a database\)/,
    ],
    ['a truncated database', (p) => truncateSync(p, 20_480), /damaged/],
    ['a database with corrupted bytes', flipBytes, /damaged/],
  ])('refuses %s, names the next step, and deletes nothing', (_name, damage, complaint) => {
    openDatabase(path).close();
    damage(path);
    const before = readFileSync(path);
    expect(() => openDatabase(path)).toThrow(complaint);
    expect(() => openDatabase(path)).toThrow(/Restore a backup, or move the file/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('refuses a database from a newer version', () => {
    openDatabase(path).close();
    const sqlite = new Sqlite(path);
    sqlite.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)').run('later', 9e15);
    sqlite.close();
    expect(() => openDatabase(path)).toThrow(/written by a newer MergeXO.*Update this installation/);
    expect(() => openDatabaseReadOnly(path)).toThrow(/newer MergeXO/);
  });

  it('refuses the database of another program', () => {
    openDatabase(path).close();
    const foreign = join(directory.path, 'foreign.db');
    const sqlite = new Sqlite(foreign);
    sqlite.exec('create table their_things (a)');
    sqlite.close();
    chmodSync(foreign, 0o600);
    expect(() => openDatabase(foreign)).toThrow(/not a MergeXO database/);
  });

  it('starts over if a process was killed while it created the database', () => {
    openDatabase(join(directory.path, 'deep', 'other.db')).close();
    writeFileSync(`${path}.new`, 'half a database');
    openDatabase(path).close();
    expect(existsSync(`${path}.new`)).toBe(false);
  });

  it('lets readers read while the owner writes, but never lets them write', () => {
    const owner = openDatabase(path);
    const reader = openDatabaseReadOnly(path);
    expect(() => reader.sqlite.exec('delete from turns')).toThrow(/readonly/);
    reader.close();
    owner.close();
  });
});

function flipBytes(path: string): void {
  const bytes = readFileSync(path);
  for (let i = 4_096; i < bytes.length; i += 1) bytes[i] = (bytes[i] ?? 0) ^ 0xff;
  writeFileSync(path, bytes, { mode: 0o600 });
}
