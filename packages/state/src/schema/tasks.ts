import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

/**
 * `promote_merged`: a merged pull request that may contain a design document. `recall_issue`: an issue whose records
 * may be lost. `catch_up`: MergeXO may have open pull requests that are missing from the database.
 */
export const TASK_KINDS = ['promote_merged', 'recall_issue', 'catch_up'] as const;

/** Pending work that must survive a crash. */
export const tasks = sqliteTable(
  'tasks',
  {
    repoId: repoId(),
    kind: text('kind', { enum: TASK_KINDS }).notNull(),
    /** The issue or pull request; 0 for a task about the whole repository. */
    number: integer('number').notNull(),
    createdAt: at('created_at').notNull(),
    /** When a task that runs only once was done. Tasks of other kinds are deleted instead. */
    doneAt: at('done_at'),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.kind, table.number] })],
);

/** Repositories whose pull requests were signed with a secret that this installation does not have. */
export const lostSecrets = sqliteTable('lost_secrets', {
  repoId: repoId().primaryKey(),
  /** Identifies the keys that could not verify the signatures. Other keys may succeed. */
  keysMark: text('keys_mark').notNull(),
  since: at('since').notNull(),
  /** ETag of the issues feed, so that polling the paused repository does not count against the rate limit. */
  etag: text('etag'),
});
