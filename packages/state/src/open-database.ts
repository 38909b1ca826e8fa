import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '@mergexo/core/basics';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { Sqlite } from './better-sqlite3.js';
import { MIGRATIONS, migrate } from './migrate.js';
import * as schema from './schema/index.js';
import { describeDamage, toFailure } from './to-failure.js';

export type Drizzle = BetterSQLite3Database<typeof schema>;
export type Database = { path: string; sqlite: Sqlite; db: Drizzle; close(): void };

/**
 * Opens the database, and creates or migrates it if needed. Rejects other programs' files, and never deletes data.
 */
export function openDatabase(path: string): Database {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (!existsSync(path)) createDatabase(path);
    refuseOpenToOthers(path);
    refuseEmpty(path);
    const sqlite = connect(path);
    try {
      refuseDamaged(sqlite, path);
      refuseNewer(sqlite, path);
      migrate(sqlite);
      return { path, sqlite, db: drizzle(sqlite, { schema }), close: () => sqlite.close() };
    } catch (error) {
      sqlite.close();
      throw error;
    }
  } catch (error) {
    throw toFailure(error, path);
  }
}

/** Opens the database read-only, for programs such as the dashboard that run next to the poller. */
export function openDatabaseReadOnly(path: string): Database {
  try {
    const sqlite = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 5_000 });
    refuseNewer(sqlite, path);
    return { path, sqlite, db: drizzle(sqlite, { schema }), close: () => sqlite.close() };
  } catch (error) {
    throw toFailure(error, path);
  }
}

/** Throws if the file is damaged, is not a MergeXO database, or comes from a newer version. */
export function checkDatabase(path: string): void {
  const { sqlite, close } = openDatabaseReadOnly(path);
  try {
    refuseDamaged(sqlite, path);
  } catch (error) {
    throw toFailure(error, path);
  } finally {
    close();
  }
}

export function isDamaged(path: string): boolean {
  try {
    checkDatabase(path);
    return false;
  } catch {
    return true;
  }
}

/** Creates the database under a temporary name and renames it, so that a crash leaves no partial database. */
function createDatabase(path: string): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const sqlite = new Sqlite(draft);
  chmodSync(draft, 0o600);
  sqlite.pragma('journal_mode = DELETE');
  try {
    migrate(sqlite);
  } finally {
    sqlite.close();
  }
  renameSync(draft, path);
}

function connect(path: string): Sqlite {
  const sqlite = new Sqlite(path, { timeout: 5_000 });
  sqlite.pragma('journal_mode = WAL');
  // With NORMAL, a power failure could undo a committed plan or `sending` state, and MergeXO would post twice.
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('foreign_keys = ON');
  return sqlite;
}

function refuseOpenToOthers(path: string): void {
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  throw new Failure(
    'unauthorized',
    `${path} is open to other users (mode ${mode.toString(8)}). Run: chmod 600 ${path} and check who read it.`,
  );
}

function refuseEmpty(path: string): void {
  if (statSync(path).size === 0) throw new Failure('invalid-data', describeDamage(path, 'the file is empty'));
}

function refuseDamaged(sqlite: Sqlite, path: string): void {
  const answer = String(sqlite.pragma('quick_check(1)', { simple: true }));
  if (answer !== 'ok') throw new Failure('invalid-data', describeDamage(path, answer));
}

let newestMigration: number | undefined;

/** Reads the migrations once per process, because the dashboard opens the database for every page. */
function readNewestMigration(): number {
  newestMigration ??= readMigrationFiles({ migrationsFolder: MIGRATIONS }).at(-1)?.folderMillis ?? 0;
  return newestMigration;
}

function refuseNewer(sqlite: Sqlite, path: string): void {
  const known = readNewestMigration();
  const hasTable = sqlite.prepare(`select 1 from sqlite_master where name = '__drizzle_migrations'`).get();
  if (hasTable === undefined) {
    const tables = sqlite.prepare(`select count(*) from sqlite_master where type = 'table'`).pluck().get();
    if (tables === 0) return;
    throw new Failure('invalid-data', `${path} is not a MergeXO database. Set another runtime.base_dir.`);
  }
  const applied = Number(
    sqlite.prepare('select max(created_at) from __drizzle_migrations').pluck().get() ?? 0,
  );
  if (applied <= known) return;
  throw new Failure(
    'invalid-data',
    `${path} was written by a newer MergeXO. Nothing was changed. Update this installation, or restore a backup.`,
  );
}
