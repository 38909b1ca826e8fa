import { existsSync } from 'node:fs';
import { Failure } from '@mergexo/core/basics';
import { createState, type State } from '../create-state.js';
import { type Database, openDatabaseReadOnly } from '../open-database.js';
import { isSqliteError } from '../to-failure.js';

export type Snapshot = { state: State; sqlite: Database['sqlite'] };

/** Reads a consistent snapshot, whether or not a poller is running. Returns undefined if there is no database. */
export function readSnapshot<T>(path: string, work: (facts: Snapshot) => T): T | undefined {
  if (!existsSync(path)) return undefined;
  const database = openDatabaseReadOnly(path);
  try {
    const { sqlite } = database;
    return sqlite.transaction(() => work({ state: createState(database), sqlite }))();
  } catch (error) {
    if (!isSqliteError(error) || !/^no such (table|column)/.test(error.message)) throw error;
    throw new Failure(
      'unavailable',
      `${path} is from an older version. Start this version's poller once to migrate it.`,
      { cause: error },
    );
  } finally {
    database.close();
  }
}
