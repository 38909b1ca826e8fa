import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { findLockHolder, holdLock, type LockHolder } from './hold-lock.js';

const SQLITE = new URL('../dist/better-sqlite3.js', import.meta.url).href;
const holder: LockHolder = {
  pid: 4711,
  host: 'mini',
  startedAt: '2026-01-02T03:04:05Z',
  purpose: 'the poller',
};

describe('holdLock', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let path: string;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    path = join(directory.path, 'poller.lock');
  });
  afterEach(() => directory.remove());

  it('refuses a second holder and names the first', () => {
    const lock = holdLock(path, holder);
    expect(() => holdLock(path, { ...holder, pid: 2 })).toThrow(
      'Another process is using this database: the poller with pid 4711 on mini, running since 2026-01-02T03:04:05Z. Stop that process first. If `npx mergexo up` started it, stop `up` instead.',
    );
    lock.release();
    holdLock(path, holder).release();
  });

  it('names the holder of a lock, without taking it', () => {
    expect(findLockHolder(path)).toBeUndefined();
    const lock = holdLock(path, holder);
    expect(findLockHolder(path)).toBe(
      'Another process is using this database: the poller with pid 4711 on mini, running since 2026-01-02T03:04:05Z.',
    );
    lock.release();
    expect(findLockHolder(path)).toBeUndefined();
    holdLock(path, holder).release();
  });

  it('releases the lock after kill -9 of the holder', async () => {
    const script = `
      import { Sqlite } from ${JSON.stringify(SQLITE)};
      const sqlite = new Sqlite(${JSON.stringify(path)});
      sqlite.exec('BEGIN EXCLUSIVE');
      console.log('held');
      // The reference keeps the garbage collector from closing the database.
      setInterval(() => sqlite, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      await once(child.stdout, 'data');
      expect(() => holdLock(path, holder)).toThrow(/Another process is using this database/);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
    holdLock(path, holder).release();
  });
});
