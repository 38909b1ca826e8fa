import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Sqlite } from '../better-sqlite3.js';
import { checkDatabase, openDatabaseReadOnly } from '../open-database.js';
import { toFailure } from '../to-failure.js';

/**
 * Writes a consistent copy of the database to a new file. Safe while the poller runs: SQLite copies one snapshot, with
 * the changes that are still in the write-ahead log. Creates the file for its owner alone.
 */
export function copyDatabase(path: string, target: string): void {
  // SQLite would create the file with the process's umask. An empty file counts as new.
  closeSync(openSync(target, 'wx', 0o600));
  const { sqlite, close } = openDatabaseReadOnly(path);
  try {
    sqlite.prepare('vacuum into ?').run(target);
  } catch (error) {
    throw toFailure(error, path);
  } finally {
    close();
  }
  syncFile(target);
  checkDatabase(target);
}

/** Moves all changes from the write-ahead log into the database file, so that the file alone is complete. */
export function foldLog(path: string): void {
  try {
    const sqlite = new Sqlite(path, { fileMustExist: true, timeout: 5_000 });
    try {
      sqlite.pragma('wal_checkpoint(TRUNCATE)');
      sqlite.pragma('journal_mode = DELETE');
    } finally {
      sqlite.close();
    }
  } catch (error) {
    throw toFailure(error, path);
  }
}

/** Waits until the file, or the entries of a directory, are on the disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export const syncDirectoryOf = (path: string): void => syncFile(dirname(path));
