import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

/**
 * Numeric ids of the GitHub accounts that MergeXO has used to post in a repository. Their posts can be MergeXO's own.
 */
export const accounts = sqliteTable(
  'accounts',
  {
    repoId: repoId(),
    accountId: integer('account_id').notNull(),
    createdAt: at('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.accountId] })],
);

/** Number of requests that GitHub still allows each login until `resetsAt`. All repositories share the limit. */
export const rateLimits = sqliteTable('rate_limits', {
  login: text('login').primaryKey(),
  limit: integer('request_limit').notNull(),
  left: integer('requests_left').notNull(),
  resetsAt: at('resets_at').notNull(),
  updatedAt: at('updated_at').notNull(),
});

/** The writes of the last hour to GitHub: posts, reactions and edits. They share one budget. */
export const githubWrites = sqliteTable('github_writes', {
  id: integer('id').primaryKey(),
  sentAt: at('sent_at').notNull(),
});
