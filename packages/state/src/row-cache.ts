import type { Sqlite } from './better-sqlite3.js';

export type RowCache<T> = {
  /**
   * Returns the rows of a repository. Callers must not modify them. Reloads the rows after any change in the database.
   */
  read(repoId: number, load: () => T): T;
  /** Call this whenever this process changes the table. */
  forget(): void;
};

/** Keeps the rows of tables that the poller reads several times per cycle but that rarely change. */
export function createRowCache<T>(sqlite: Sqlite): RowCache<T> {
  const known = new Map<number, T>();
  // SQLite changes this number when another process commits a change.
  const readVersion = sqlite.prepare('PRAGMA data_version').pluck();
  let version: unknown;
  return {
    read(repoId, load) {
      // Rows are not cached inside a transaction, because it may be rolled back.
      if (sqlite.inTransaction) return load();
      const now = readVersion.get();
      if (now !== version) known.clear();
      version = now;
      const rows = known.get(repoId) ?? load();
      known.set(repoId, rows);
      return rows;
    },
    forget: () => known.clear(),
  };
}
