import { existsSync } from 'node:fs';
import { readSettings, type Settings } from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import {
  createState,
  isSqliteError,
  openDatabaseReadOnly,
  type Repository,
  type State,
} from '@mergexo/state';
import type { Context } from './context.js';

/** Reads the state beside a running poller, or without one. It cannot write, whatever it is asked. */
export function readState<T>(context: Context, work: (state: State, settings: Settings) => T): T {
  const settings = readSettings(context);
  const { paths } = settings;
  if (!existsSync(paths.database)) {
    throw new Failure('not-found', `${paths.database} is missing. Run \`${MERGEXO_CLI} init\`.`);
  }
  const database = openDatabaseReadOnly(paths.database);
  try {
    return database.sqlite.transaction(() => work(createState(database), settings))();
  } catch (error) {
    if (!isSqliteError(error) || !/^no such (table|column)/.test(error.message)) throw error;
    const advice = 'Start the poller of this version once: it brings it up to date.';
    throw new Failure('unavailable', `${paths.database} is from an older version. ${advice}`, {
      cause: error,
    });
  } finally {
    database.close();
  }
}

/** The one that is named, as on GitHub without regard to capitals, or all that the poller has read. */
export function findRepositories(state: State, name: string | undefined): Repository[] {
  const known = state.listRepositories();
  if (name === undefined) return known;
  const wanted = known.filter((repository) => nameOf(repository).toLowerCase() === name.toLowerCase());
  if (wanted.length > 0) return wanted;
  const names = known.map(nameOf).join(', ') || 'none yet';
  throw new Failure('not-found', `The poller has not read ${JSON.stringify(name)} (known: ${names}).`);
}

export function nameOf({ owner, name }: Repository): string {
  return `${owner}/${name}`;
}
