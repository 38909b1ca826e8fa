import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

/** Facts about a repository as a whole. */
export const repoWatch = sqliteTable('repo_watch', {
  repoId: repoId().primaryKey(),
  /** When MergeXO last detected that the database was lost or restored from a backup. */
  rebuiltAt: at('rebuilt_at'),
  /** GitHub's time of the latest merge. */
  baseMovedAt: text('base_moved_at'),
  /** The pull request whose pending external checks were read last. The next poll continues after it. */
  checksSweptPr: integer('checks_swept_pr').notNull().default(0),
  /** The run whose issue was last checked for deletion, and the time of that check. */
  waitingRunId: integer('waiting_run_id').notNull().default(0),
  waitingCheckedAt: at('waiting_checked_at').notNull().default(0),
  /** Digest of the labels and `allowed_users` that the latest intake decisions used. */
  intakeRules: text('intake_rules'),
});

/** The poller's latest observations of a pull request. Observations of an earlier head no longer apply. */
export const pullWatch = sqliteTable(
  'pull_watch',
  {
    repoId: repoId(),
    prNumber: integer('pr_number').notNull(),
    /** The accepted head that GitHub no longer has, and when MergeXO noticed that. */
    missingHeadSha: text('missing_head_sha'),
    missingHeadSince: at('missing_head_since'),
    /** The head that was checked for conflicts, and GitHub's time of the latest merge before that check. */
    mergeableHeadSha: text('mergeable_head_sha'),
    mergeableBaseAt: text('mergeable_base_at'),
    /** The head whose external checks were read, and whether all of them were complete. */
    checksHeadSha: text('checks_head_sha'),
    checksSettled: integer('checks_settled', { mode: 'boolean' }).notNull().default(false),
    /** When MergeXO began to watch the checks of this head. */
    checksSince: at('checks_since'),
    checksEtag: text('checks_etag'),
    statusesEtag: text('statuses_etag'),
    /** The head whose design documents were checked. */
    documentHeadSha: text('document_head_sha'),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.prNumber] })],
);

/** The poller's latest observations of an issue. */
export const issueWatch = sqliteTable(
  'issue_watch',
  {
    repoId: repoId(),
    issueNumber: integer('issue_number').notNull(),
    /** GitHub's update time of the newest recorded version. An older version is stale. */
    seenUpdatedAt: text('seen_updated_at'),
    /** The known state of an issue that other work depends on; null for other issues. */
    dependencyState: text('dependency_state', { enum: ['open', 'closed'] }),
    dependencyCheckedAt: at('dependency_checked_at'),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.issueNumber] })],
);
