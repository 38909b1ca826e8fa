import { drizzle } from 'drizzle-orm/better-sqlite3';
import { Sqlite } from './better-sqlite3.js';
import { createState, type State } from './create-state.js';
import { migrate } from './migrate.js';
import * as schema from './schema/index.js';

/** The migrated, empty database. Migrating takes longer than a whole simulated schedule. */
let emptyImage: Buffer | undefined;

/**
 * Opens a state in memory for a simulation: a new one, or a copy of an image. Unlike `openState`, nothing survives the
 * process, and nothing waits for a disk.
 */
export function openStateInMemory(image: Buffer = readEmptyImage()): { state: State; copy(): Buffer } {
  const sqlite = new Sqlite(image);
  sqlite.pragma('foreign_keys = ON');
  keepStatements(sqlite);
  const database = { path: ':memory:', sqlite, db: drizzle(sqlite, { schema }), close: () => sqlite.close() };
  return { state: createState(database), copy: () => sqlite.serialize() };
}

/** Prepares each statement once, because a simulation runs the same few hundred statements again and again. */
function keepStatements(sqlite: Sqlite): void {
  const prepare = sqlite.prepare.bind(sqlite);
  const known = new Map<string, ReturnType<typeof prepare>>();
  const remember = (source: string): ReturnType<typeof prepare> => {
    const statement = known.get(source) ?? prepare(source);
    known.set(source, statement);
    return statement;
  };
  Object.defineProperty(sqlite, 'prepare', { value: remember });
}

function readEmptyImage(): Buffer {
  if (emptyImage !== undefined) return emptyImage;
  const sqlite = new Sqlite(':memory:');
  migrate(sqlite);
  emptyImage = sqlite.serialize();
  sqlite.close();
  return emptyImage;
}
