import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const repositories = sqliteTable(
  'repositories',
  {
    /** GitHub's numeric id, which survives renames and transfers. */
    id: integer('id').primaryKey(),
    owner: text('owner').notNull(),
    name: text('name').notNull(),
    defaultBranch: text('default_branch').notNull(),
  },
  (table) => [index('repositories_by_name').on(table.owner, table.name)],
);
