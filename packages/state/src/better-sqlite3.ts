import { createRequire } from 'node:module';
import { Failure } from '@mergexo/core/basics';
import type BetterSqlite3 from 'better-sqlite3';

/**
 * Version 13 needs Node-API 10, which Node 20 lacks. Version 12 aborts the process on Node 24.19 and newer when a
 * statement is garbage-collected, even if every database was closed properly.
 */
const VERSION = Number(process.versions['napi']) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3';

export const Sqlite: typeof BetterSqlite3 = load();

export type Sqlite = BetterSqlite3.Database;

/** npm skips a SQLite that it can neither download nor compile, and installs the rest. */
function describeProblem(): string {
  const platform = `Node ${process.version} on ${process.platform}-${process.arch}`;
  const advice =
    VERSION === 'better-sqlite3'
      ? 'npm found no prebuilt library and could not compile one. Install a C++ compiler, make and Python 3 (on Debian: ' +
        'apt install g++ make python3), or use Node 22 or 24, which need no compiler. Then install MergeXO again'
      : 'There is no prebuilt library for this platform, or another Node version installed the packages. Install MergeXO again';
  return `Could not load SQLite (${VERSION}) for ${platform}. ${advice} (in a clone: \`npm ci\`).`;
}

function load(): typeof BetterSqlite3 {
  try {
    return createRequire(import.meta.url)(VERSION);
  } catch (error) {
    throw new Failure('unavailable', describeProblem(), { cause: error });
  }
}
