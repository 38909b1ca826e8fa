import type { CheckRun } from '@mergexo/core/ci';
import { FLOWS } from '@mergexo/core/flows';
import { type HoldKind, RUN_STATUSES, type RunEnd } from '@mergexo/core/runs';
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

/** One run of a flow for an issue. The original design calls this table `work_items`. */
export const issueRuns = sqliteTable(
  'issue_runs',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    repoId: repoId(),
    issueNumber: integer('issue_number').notNull(),
    flow: text('flow', { enum: FLOWS }).notNull(),
    /** 1-based run number for this issue and flow. */
    ordinal: integer('ordinal').notNull().default(1),
    status: text('status', { enum: RUN_STATUSES }).notNull(),
    blockedKind: text('blocked_kind').$type<HoldKind>(),
    error: text('error'),
    /** Why MergeXO closed the run before it had a pull request; null for other runs. */
    endedKind: text('ended_kind').$type<RunEnd>(),
    issueTitle: text('issue_title').notNull().default(''),
    branch: text('branch'),
    prNumber: integer('pr_number'),
    runStartCommentId: integer('run_start_comment_id'),
    designDocPath: text('design_doc_path'),
    priority: integer('priority').notNull().default(3),
    estimatedSize: text('estimated_size', { enum: ['S', 'M', 'L'] }),
    conflictHintPaths: text('conflict_hint_paths', { mode: 'json' }).$type<readonly string[]>(),
    dependsOn: text('depends_on', { mode: 'json' }).$type<readonly (number | string)[]>(),
    parentRunId: integer('parent_run_id'),
    /** For an implementation: the commit that merged the design document. */
    designMergeSha: text('design_merge_sha'),
    /** Set by a label from `priority:1` to `priority:5`. Overrides the document's priority. */
    labelPriority: integer('label_priority'),
    /** The scheduler's latest decision. Only implementations have a score and a risk. */
    schedule: text('schedule_json', { mode: 'json' }).$type<{
      score: number | null;
      risk: number | null;
      reason: string | null;
    }>(),
    /** GitHub's time when MergeXO first saw that a person took over the issue, before the run had a pull request. */
    ignoredSince: text('ignored_since'),
    /** True if the label that requested the run was removed. Adding the label again is a new request. */
    labelGone: integer('label_gone', { mode: 'boolean' }).notNull().default(false),
    /** When an operator last reset the limits. Earlier usage no longer counts. */
    clearedAt: at('cleared_at').notNull().default(0),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('issue_runs_identity').on(table.repoId, table.issueNumber, table.flow, table.ordinal),
    index('issue_runs_by_status').on(table.repoId, table.status),
    index('issue_runs_by_update').on(table.updatedAt),
  ],
);

/** Pull requests of the runs. The original design calls this table `pr_feedback_state`. */
export const pullRequests = sqliteTable(
  'pull_requests',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    repoId: repoId(),
    prNumber: integer('pr_number').notNull(),
    runId: integer('run_id')
      .notNull()
      .references(() => issueRuns.id),
    issueNumber: integer('issue_number').notNull(),
    branch: text('branch').notNull(),
    status: text('status', { enum: ['awaiting_feedback', 'blocked', 'merged', 'closed'] }).notNull(),
    blockedKind: text('blocked_kind').$type<HoldKind>(),
    error: text('error'),
    /** The latest accepted head, which must be an ancestor of every later head. */
    acceptedHeadSha: text('last_seen_head_sha'),
    headSha: text('head_sha'),
    url: text('url'),
    /** GitHub's update time. A newer time means that the pull request changed. */
    remoteUpdatedAt: text('remote_updated_at'),
    reviewsEtag: text('reviews_etag'),
    /** When the pull request's comments were last listed completely; null if they must still be listed. */
    listedAt: at('listed_at'),
    /** When MergeXO last pushed or accepted a head. An older head that is read soon afterwards is stale. */
    acceptedAt: at('accepted_at'),
    /** GitHub's time when MergeXO first saw that a person took over the pull request or its issue. */
    ignoredSince: text('ignored_since'),
    issueIgnoredSince: text('issue_ignored_since'),
    /** The known checks of the head. */
    checks: text('checks_json', { mode: 'json' }).$type<readonly CheckRun[]>(),
    /** The changed files at the head `changedFilesSha`. */
    changedFiles: text('changed_files_json', { mode: 'json' }).$type<readonly string[]>(),
    changedFilesSha: text('changed_files_sha'),
    humanReviewRequired: integer('human_review_required', { mode: 'boolean' }).notNull().default(false),
    /** When MergeXO last asked a person to review, and when a person last resumed the review loop. */
    escalatedAt: at('escalated_at'),
    resumedAt: at('resumed_at').notNull().default(0),
    /** The head whose AI review an operator skipped. */
    reviewSkippedSha: text('review_skipped_sha'),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('pull_requests_identity').on(table.repoId, table.prNumber),
    index('pull_requests_by_status').on(table.repoId, table.status),
  ],
);

export const agentSessions = sqliteTable(
  'agent_sessions',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    runId: integer('run_id')
      .notNull()
      .references(() => issueRuns.id),
    adapter: text('adapter').notNull(),
    /** The provider's id of the conversation (`external_session_id`). MergeXO can continue without this id. */
    threadId: text('thread_id'),
    status: text('status', { enum: ['active', 'retired'] }).notNull(),
    lastProcessedEventKey: text('last_processed_event_key'),
    stateSummary: text('state_summary'),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [uniqueIndex('agent_sessions_active').on(table.runId).where(sql`${table.status} = 'active'`)],
);
