import type { Checkpoint, WaitKind } from '@mergexo/core/turns';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

export const prePrFollowupState = sqliteTable(
  'pre_pr_followup_state',
  {
    repoId: repoId(),
    issueNumber: integer('issue_number').notNull(),
    flow: text('flow').notNull(),
    branch: text('branch').notNull(),
    /** Why the run is waiting, and the checkpoint from which the work resumes. */
    context: text('context_json', { mode: 'json' })
      .$type<{ waitKind: WaitKind; checkpoint: Checkpoint | null }>()
      .notNull(),
    waitingReason: text('waiting_reason').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.issueNumber] })],
);

export const issueCommentCursors = sqliteTable(
  'issue_comment_cursors',
  {
    repoId: repoId(),
    issueNumber: integer('issue_number').notNull(),
    prePrLastConsumedCommentId: integer('pre_pr_last_consumed_comment_id').notNull().default(0),
    postPrLastRedirectedCommentId: integer('post_pr_last_redirected_comment_id').notNull().default(0),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.issueNumber] })],
);
