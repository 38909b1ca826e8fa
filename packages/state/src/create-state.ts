import { type Actions, createActions } from './actions.js';
import { createLeases, type Leases } from './leases.js';
import { type Database, openDatabase } from './open-database.js';
import { createRepositories, type Repositories } from './repositories.js';
import { createRuntimeEvents, type RuntimeEvents } from './runtime-events.js';
import { toFailure } from './to-failure.js';
import { createTurns, type Turns } from './turns.js';

export type State = Turns &
  Actions &
  RuntimeEvents &
  Leases &
  Repositories & {
    /** All or nothing, and never across an await: whatever is called inside belongs to it. */
    transaction<T>(work: () => T): T;
    close(): void;
  };

export function openState(path: string): State {
  return createState(openDatabase(path));
}

export function createState({ path, sqlite, db, close }: Database): State {
  return {
    ...createTurns(db),
    ...createActions(db),
    ...createRuntimeEvents(db),
    ...createLeases(db),
    ...createRepositories(db),
    transaction(work) {
      try {
        // Immediate: a transaction that begins by reading must not find the write lock taken half way.
        return sqlite.transaction(work).immediate();
      } catch (error) {
        throw toFailure(error, path);
      }
    },
    close,
  };
}
