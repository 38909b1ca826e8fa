import type { CheckRun } from '@mergexo/core/ci';
import { FLOWS } from '@mergexo/core/flows';
import { RUN_STATUSES } from '@mergexo/core/runs';
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

/** One issue going through one flow: `issue_runs` and `work_items`. */
export const issueRuns = sqliteTable(
  'issue_runs',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    repoId: repoId(),
    issueNumber: integer('issue_number').notNull(),
    flow: text('flow', { enum: FLOWS }).notNull(),
    /** The how-manieth run of this issue and flow. */
    ordinal: integer('ordinal').notNull().default(1),
    status: text('status', { enum: RUN_STATUSES }).notNull(),
    blockedKind: text('blocked_kind'),
    error: text('error'),
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
    /** Of an implementation: the commit that brought the design document into the base branch. */
    designMergeSha: text('design_merge_sha'),
    /** From a label `priority:1` to `priority:5`; it counts instead of the document's. */
    labelPriority: integer('label_priority'),
    /** What the scheduler last made of it. */
    schedule: text('schedule_json', { mode: 'json' }).$type<{
      score: number;
      risk: number;
      reason: string | null;
    }>(),
    /** GitHub's time at which we first saw that a person had taken the issue over, before there was a pull request. */
    ignoredSince: text('ignored_since'),
    /** The label that asked for it is gone: if it comes back, somebody asks again. */
    labelGone: integer('label_gone', { mode: 'boolean' }).notNull().default(false),
    /** When an operator last lifted its caps: what was used before does not count against them. */
    clearedAt: at('cleared_at').notNull().default(0),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('issue_runs_identity').on(table.repoId, table.issueNumber, table.flow, table.ordinal),
    index('issue_runs_by_status').on(table.repoId, table.status),
  ],
);

/** Also known as `pull_requests` and `pr_feedback_state`. */
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
    blockedKind: text('blocked_kind'),
    error: text('error'),
    /** The last head that we accepted: it must stay an ancestor of every later one. */
    acceptedHeadSha: text('last_seen_head_sha'),
    headSha: text('head_sha'),
    url: text('url'),
    /** Newer than this means that something about it changed. */
    remoteUpdatedAt: text('remote_updated_at'),
    reviewsEtag: text('reviews_etag'),
    /** When everything that was said on it was listed completely; null means that this is still to be done. */
    listedAt: at('listed_at'),
    /** Our last push or the last head that we accepted: an older head seen soon after it is a stale read. */
    acceptedAt: at('accepted_at'),
    /** GitHub's time at which we first saw that a person had taken it over, on the pull request or on its issue. */
    ignoredSince: text('ignored_since'),
    issueIgnoredSince: text('issue_ignored_since'),
    /** What is known of the checks of its head. */
    checks: text('checks_json', { mode: 'json' }).$type<readonly CheckRun[]>(),
    /** The files that it changes, as of this head. */
    changedFiles: text('changed_files_json', { mode: 'json' }).$type<readonly string[]>(),
    changedFilesSha: text('changed_files_sha'),
    humanReviewRequired: integer('human_review_required', { mode: 'boolean' }).notNull().default(false),
    /** When a person was last asked to review, and when one last let the review loop go on. */
    escalatedAt: at('escalated_at'),
    resumedAt: at('resumed_at').notNull().default(0),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [uniqueIndex('pull_requests_identity').on(table.repoId, table.prNumber)],
);

export const agentSessions = sqliteTable(
  'agent_sessions',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    runId: integer('run_id')
      .notNull()
      .references(() => issueRuns.id),
    adapter: text('adapter').notNull(),
    /** The provider's handle (`external_session_id`): an optimisation, never the truth. */
    threadId: text('thread_id'),
    status: text('status', { enum: ['active', 'retired'] }).notNull(),
    lastProcessedEventKey: text('last_processed_event_key'),
    stateSummary: text('state_summary'),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [uniqueIndex('agent_sessions_active').on(table.runId).where(sql`${table.status} = 'active'`)],
);
