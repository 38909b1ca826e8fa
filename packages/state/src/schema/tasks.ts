import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

/**
 * `promote_merged`: a merged pull request that may have brought a design document. `recall_issue`: an issue whose records
 * may be lost. `catch_up`: pull requests of ours may be open that the database does not know.
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
    /** Set on tasks that are done once and never again; other tasks are deleted when they are done. */
    doneAt: at('done_at'),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.kind, table.number] })],
);

/** Repositories whose pull requests were signed with a secret that this installation does not have. */
export const lostSecrets = sqliteTable('lost_secrets', {
  repoId: repoId().primaryKey(),
  /** Identifies the set of keys that failed. Another set may verify. */
  keysMark: text('keys_mark').notNull(),
  since: at('since').notNull(),
  /** ETag of the issues feed, so that a poll of the paused repository costs nothing. */
  etag: text('etag'),
});
