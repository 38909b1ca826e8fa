import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

/** GitHub accounts that MergeXO posted with in a repository, by GitHub's numeric id. Posts of all of them are ours. */
export const accounts = sqliteTable(
  'accounts',
  {
    repoId: repoId(),
    accountId: integer('account_id').notNull(),
    createdAt: at('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.accountId] })],
);

/** How many requests GitHub still allows a login until `resetsAt`. The limit is shared by all repositories. */
export const rateLimits = sqliteTable('rate_limits', {
  login: text('login').primaryKey(),
  limit: integer('request_limit').notNull(),
  left: integer('requests_left').notNull(),
  resetsAt: at('resets_at').notNull(),
  updatedAt: at('updated_at').notNull(),
});
