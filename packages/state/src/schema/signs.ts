import { REACTION_SUBJECTS, REACTIONS } from '@mergexo/core/signs';
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

/** MergeXO's reaction to an issue or a comment, as GitHub last confirmed it. */
export const reactions = sqliteTable(
  'reactions',
  {
    repoId: repoId(),
    kind: text('kind', { enum: REACTION_SUBJECTS }).notNull(),
    /** The number of the issue, or the id of the comment. */
    subjectId: integer('subject_id').notNull(),
    /** The issue or pull request that the subject belongs to. */
    thread: integer('thread').notNull(),
    shown: text('shown', { enum: REACTIONS }),
    shownId: integer('shown_id'),
    staleId: integer('stale_id'),
    sending: text('sending', { enum: REACTIONS }),
    /** True if GitHub refused the reaction for good, for example because the comment was deleted. */
    refused: integer('refused', { mode: 'boolean' }).notNull().default(false),
    /** True if the reaction can still change. */
    open: integer('open', { mode: 'boolean' }).notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.repoId, table.kind, table.subjectId] }),
    index('reactions_open').on(table.repoId).where(sql`${table.open} = 1`),
  ],
);

/**
 * `absent`: GitHub has no status comment of the issue. `sending`: GitHub may have it. In the last three states MergeXO
 * never posts or edits the comment again.
 */
export const STATUS_COMMENT_STATES = ['absent', 'sending', 'posted', 'edited', 'deleted', 'refused'] as const;

/** The status comment of an issue. */
export const statusComments = sqliteTable(
  'status_comments',
  {
    repoId: repoId(),
    issueNumber: integer('issue_number').notNull(),
    state: text('state', { enum: STATUS_COMMENT_STATES }).notNull(),
    remoteId: integer('remote_id'),
    /** Digest of the text that GitHub last confirmed. */
    digest: text('digest'),
    /** When MergeXO last sent the text. */
    sentAt: at('sent_at').notNull().default(0),
    /** True if the text can still change without a new run. */
    open: integer('open', { mode: 'boolean' }).notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.repoId, table.issueNumber] }),
    index('status_comments_open').on(table.repoId).where(sql`${table.open} = 1`),
  ],
);
