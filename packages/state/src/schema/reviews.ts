import { FINDING_STATUSES } from '@mergexo/core/review';
import { REVIEW_CATEGORIES, SEVERITIES } from '@mergexo/core/turns';
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';
import { turns } from './turns.js';

/** One AI review of one head of a pull request. */
export const reviewRounds = sqliteTable(
  'review_rounds',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    repoId: repoId(),
    prNumber: integer('pr_number').notNull(),
    headSha: text('head_sha').notNull(),
    /** 1-based number of the round. Rounds without a verdict are not counted. */
    number: integer('number').notNull().default(1),
    fixCycle: integer('fix_cycle').notNull(),
    turnKey: text('turn_key').references(() => turns.turnKey),
    state: text('state', { enum: ['open', 'posted', 'outdated', 'failed'] })
      .notNull()
      .default('open'),
    verdict: text('verdict', { enum: ['approved', 'changes_requested'] }),
    summary: text('summary'),
    /** Findings that blocked approval in this round. Their current status is in `review_findings`. */
    blocking: text('blocking_json', { mode: 'json' }).$type<
      readonly { fingerprint: string; category: string }[]
    >(),
    /** Id of the review on GitHub. */
    remoteId: integer('remote_id'),
    createdAt: at('created_at').notNull(),
    completedAt: at('completed_at'),
  },
  (table) => [uniqueIndex('review_rounds_identity').on(table.repoId, table.prNumber, table.headSha)],
);

export const reviewFindings = sqliteTable(
  'review_findings',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    repoId: repoId(),
    prNumber: integer('pr_number').notNull(),
    /** The first round that raised the finding. */
    roundId: integer('round_id')
      .notNull()
      .references(() => reviewRounds.id),
    /** The latest round that raised the finding. */
    lastRoundId: integer('last_round_id').references(() => reviewRounds.id),
    fingerprint: text('fingerprint').notNull(),
    severity: text('severity', { enum: SEVERITIES }).notNull(),
    category: text('category', { enum: REVIEW_CATEGORIES }).notNull(),
    path: text('path').notNull(),
    /** The first line of a range that ends at `line`; null for a single line. */
    startLine: integer('start_line'),
    line: integer('line'),
    body: text('body').notNull(),
    suggestion: text('suggestion'),
    status: text('status', { enum: FINDING_STATUSES }).notNull(),
    /** The fixing agent's latest note. */
    note: text('note'),
    /** Id of the comment on GitHub; null if the finding has no comment of its own. */
    remoteId: integer('remote_id'),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [uniqueIndex('review_findings_identity').on(table.repoId, table.prNumber, table.fingerprint)],
);

/** One row per finished fix turn. */
export const reviewFixes = sqliteTable(
  'review_fixes',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    repoId: repoId(),
    prNumber: integer('pr_number').notNull(),
    /** The round whose findings the fix addresses. */
    roundId: integer('round_id')
      .notNull()
      .references(() => reviewRounds.id),
    fixCycle: integer('fix_cycle').notNull(),
    turnKey: text('turn_key')
      .notNull()
      .references(() => turns.turnKey),
    outcome: text('outcome', { enum: ['pushed', 'failed', 'superseded'] }).notNull(),
    reason: text('reason'),
    /** The pushed commit; null if nothing was pushed. */
    sha: text('sha'),
    endedAt: at('ended_at').notNull(),
  },
  (table) => [
    uniqueIndex('review_fixes_identity').on(table.turnKey),
    // The index allows one fix per cycle. Superseded fixes do not use up a cycle.
    uniqueIndex('review_fixes_cycle')
      .on(table.repoId, table.prNumber, table.fixCycle)
      .where(sql`${table.outcome} <> 'superseded'`),
    index('review_fixes_by_pull').on(table.repoId, table.prNumber),
  ],
);
