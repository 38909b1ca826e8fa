import { existsSync } from 'node:fs';
import { Failure } from '@mergexo/core/basics';
import { createState, type Database, isSqliteError, openDatabaseReadOnly, type State } from '@mergexo/state';

export type Facts = { state: State; sqlite: Database['sqlite'] };

/** Looks at the state beside the poller, at one moment of it; undefined while there is none. It cannot write. */
export function readFacts<T>(path: string, work: (facts: Facts) => T): T | undefined {
  if (!existsSync(path)) return undefined;
  const database = openDatabaseReadOnly(path);
  try {
    const { sqlite } = database;
    return sqlite.transaction(() => work({ state: createState(database), sqlite }))();
  } catch (error) {
    if (!isSqliteError(error) || !/^no such (table|column)/.test(error.message)) throw error;
    throw new Failure(
      'unavailable',
      `${path} is from an older version. Start the poller of this version once: it brings it up to date.`,
      { cause: error },
    );
  } finally {
    database.close();
  }
}
