import { chmodSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { Sqlite } from '../better-sqlite3.js';
import { MIGRATIONS } from '../migrate.js';

/** Creates a test database that ends with the migration `last`, such as `0004_lease_since`. `fill` writes its rows. */
export function createOldDatabase(
  path: string,
  last: string,
  fill: (sqlite: BetterSqlite3.Database) => void,
): void {
  const sqlite = new Sqlite(path);
  sqlite.exec(
    'create table __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
  );
  const record = sqlite.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)');
  const old = readMigrationFiles({ migrationsFolder: MIGRATIONS }).slice(0, Number(last.slice(0, 4)) + 1);
  for (const { sql, hash, folderMillis } of old) {
    for (const statement of sql) sqlite.exec(statement);
    record.run(hash, folderMillis);
  }
  const repository = sqlite.prepare(
    `insert into repositories (id, owner, name, default_branch) values (?, 'o', ?, 'main')`,
  );
  for (const id of [1, 2]) repository.run(id, `n${id}`);
  fill(sqlite);
  sqlite.close();
  // MergeXO refuses a database that other users can read.
  chmodSync(path, 0o600);
}
