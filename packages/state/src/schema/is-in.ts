import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';

/**
 * Builds the condition with literals instead of parameters, because SQLite uses a partial index only if the
 * query repeats the index's condition. The values must not come from outside.
 */
export function isIn(column: SQLiteColumn, values: readonly string[]): SQL {
  return sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`;
}
