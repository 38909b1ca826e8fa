import { fileURLToPath } from 'node:url';
import type BetterSqlite3 from 'better-sqlite3';
import { readMigrationFiles } from 'drizzle-orm/migrator';

export const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));

/**
 * Applies all missing migrations or none, and records them in Drizzle's own table. Replaces Drizzle's
 * migrator, which rolls back after SQLite has already done so. The resulting error hides the real one, such
 * as a full disk.
 */
export function migrate(sqlite: BetterSqlite3.Database): void {
  const apply = sqlite.transaction(() => {
    sqlite.exec(
      'create table if not exists __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
    );
    const last = Number(
      sqlite.prepare('select max(created_at) from __drizzle_migrations').pluck().get() ?? 0,
    );
    const record = sqlite.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)');
    for (const { sql, hash, folderMillis } of readMigrationFiles({ migrationsFolder: MIGRATIONS })) {
      if (folderMillis <= last) continue;
      for (const statement of sql) sqlite.exec(statement);
      record.run(hash, folderMillis);
    }
  });
  apply.immediate();
}
