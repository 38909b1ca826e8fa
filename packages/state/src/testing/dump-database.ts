import type BetterSqlite3 from 'better-sqlite3';

/** Renders a database as SQL statements that recreate it, tables first and triggers and indexes last. */
export function dumpDatabase(sqlite: BetterSqlite3.Database): string {
  const objects = sqlite
    .prepare<[], { type: string; name: string; sql: string }>(
      "select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by rowid",
    )
    .all();
  const tables = objects.filter(({ type }) => type === 'table');
  return [
    'PRAGMA foreign_keys=OFF;',
    'BEGIN;',
    ...tables.flatMap(({ name, sql }) => [`${sql};`, ...dumpRows(sqlite, name)]),
    ...objects.filter(({ type }) => type !== 'table').map(({ sql }) => `${sql};`),
    'COMMIT;',
    '',
  ].join('\n');
}

function dumpRows(sqlite: BetterSqlite3.Database, table: string): string[] {
  const rows = sqlite.prepare<[], unknown[]>(`select * from "${table}"`).raw().all();
  return rows.map((row) => `INSERT INTO "${table}" VALUES(${row.map(toLiteral).join(',')});`);
}

function toLiteral(value: unknown): string {
  if (value === null) return 'NULL';
  if (Buffer.isBuffer(value)) return `X'${value.toString('hex')}'`;
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}
