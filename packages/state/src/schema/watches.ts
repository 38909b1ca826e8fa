import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

/** Facts about a repository as a whole. */
export const repoWatch = sqliteTable('repo_watch', {
  repoId: repoId().primaryKey(),
  /** When the records were last found to be older than GitHub: lost, or restored from a copy. */
  rebuiltAt: at('rebuilt_at'),
  /** GitHub's time of the newest merge. */
  baseMovedAt: text('base_moved_at'),
  /** The pull request whose reviews, or whose checks of other systems, were read last. The next one follows it. */
  reviewsSweptPr: integer('reviews_swept_pr').notNull().default(0),
  checksSweptPr: integer('checks_swept_pr').notNull().default(0),
  /** The run whose issue was last checked for whether it still exists, and when. */
  waitingRunId: integer('waiting_run_id').notNull().default(0),
  waitingCheckedAt: at('waiting_checked_at').notNull().default(0),
  /** A digest of the labels and of `allowed_users` by which the issues were last decided on. */
  intakeRules: text('intake_rules'),
});

/** What the poller last saw of a pull request. A different head makes the facts about the earlier one void. */
export const pullWatch = sqliteTable(
  'pull_watch',
  {
    repoId: repoId(),
    prNumber: integer('pr_number').notNull(),
    /** The accepted head that GitHub no longer shows, and since when. */
    missingHeadSha: text('missing_head_sha'),
    missingHeadSince: at('missing_head_since'),
    /** The head that was compared with the base branch, and GitHub's time of the newest merge at that moment. */
    mergeableHeadSha: text('mergeable_head_sha'),
    mergeableBaseAt: text('mergeable_base_at'),
    /** The head whose checks of other systems were read, and GitHub's update time of the pull request. */
    checksHeadSha: text('checks_head_sha'),
    checksUpdatedAt: text('checks_updated_at'),
    checksSettled: integer('checks_settled', { mode: 'boolean' }).notNull().default(false),
    /** Since when the checks of this head are watched. */
    checksSince: at('checks_since'),
    checksEtag: text('checks_etag'),
    statusesEtag: text('statuses_etag'),
    /** The head whose design documents were checked. */
    documentHeadSha: text('document_head_sha'),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.prNumber] })],
);

/** What the poller last saw of an issue. */
export const issueWatch = sqliteTable(
  'issue_watch',
  {
    repoId: repoId(),
    issueNumber: integer('issue_number').notNull(),
    /** GitHub's update time of the newest row that was recorded: an older row is stale. */
    seenUpdatedAt: text('seen_updated_at'),
    /** Of an issue that other work depends on. */
    dependencyState: text('dependency_state', { enum: ['open', 'closed'] }),
    dependencyCheckedAt: at('dependency_checked_at'),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.issueNumber] })],
);
