import { readSettings, type Settings } from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { redactStrings } from '@mergexo/core/text';
import { type Repository, readSnapshot, type Snapshot, type State } from '@mergexo/state';
import type { Context } from './context.js';

/**
 * Opens the database read-only, with or without a running poller. Redacts the result before a command shortens the texts,
 * because half a secret would not be recognized.
 */
export function readState<T>(context: Context, work: (state: State, settings: Settings) => T): T {
  return readFacts(context, ({ state }, settings) => work(state, settings));
}

/** Opens the database like `readState`, for queries that span several tables. */
export function readFacts<T>(context: Context, work: (facts: Snapshot, settings: Settings) => T): T {
  const settings = readSettings(context);
  const { database } = settings.paths;
  const read = readSnapshot(database, (facts) => ({ answer: work(facts, settings) }));
  if (read !== undefined) return redactStrings(read, settings.redact).answer;
  throw new Failure('not-found', `${database} is missing. Run \`${MERGEXO_CLI} init\`.`);
}

/** Returns the named repository, or every repository that the poller knows. As on GitHub, case does not matter. */
export function findRepositories(state: State, name: string | undefined): Repository[] {
  const known = state.listRepositories();
  if (name === undefined) return known;
  const wanted = known.filter((repository) => nameOf(repository).toLowerCase() === name.toLowerCase());
  if (wanted.length > 0) return wanted;
  const names = known.map(nameOf).join(', ') || 'none yet';
  throw new Failure(
    'not-found',
    `The poller has not polled ${JSON.stringify(name)} (known: ${names}). ` +
      'Check the name, or add the repository to the config and start the poller.',
  );
}

export function nameOf({ owner, name }: Repository): string {
  return `${owner}/${name}`;
}
