import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/**
 * Version 13 needs Node-API 10, which Node 20 lacks. Version 12 aborts the process on Node 24.19 and newer when a
 * statement is garbage-collected, even if every database was closed properly.
 */
const VERSION = Number(process.versions['napi']) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3';

export const Sqlite: typeof BetterSqlite3 = load();

export type Sqlite = BetterSqlite3.Database;

function load(): typeof BetterSqlite3 {
  try {
    return createRequire(import.meta.url)(VERSION);
  } catch (error) {
    throw new Error(
      `Could not load SQLite on Node ${process.version}. Run "npm ci" again if another Node version installed the packages.`,
      { cause: error },
    );
  }
}
