import { FINDING_STATUSES } from '@mergexo/core/review';
import { REVIEW_CATEGORIES, SEVERITIES } from '@mergexo/core/turns';
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';
import { turns } from './turns.js';

/** One look of the AI reviewer at one head of a pull request. */
export const reviewRounds = sqliteTable(
  'review_rounds',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    repoId: repoId(),
    prNumber: integer('pr_number').notNull(),
    headSha: text('head_sha').notNull(),
    /** From 1; only rounds that came to a verdict count. */
    number: integer('number').notNull().default(1),
    fixCycle: integer('fix_cycle').notNull(),
    turnKey: text('turn_key').references(() => turns.turnKey),
    state: text('state', { enum: ['open', 'posted', 'outdated', 'failed'] })
      .notNull()
      .default('open'),
    verdict: text('verdict', { enum: ['approved', 'changes_requested'] }),
    summary: text('summary'),
    /** What blocked in this round; what became of it since is with the findings. */
    blocking: text('blocking_json', { mode: 'json' }).$type<
      readonly { fingerprint: string; category: string }[]
    >(),
    /** The review on GitHub. */
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
    /** The round that raised it first. */
    roundId: integer('round_id')
      .notNull()
      .references(() => reviewRounds.id),
    /** The round that raised it last. */
    lastRoundId: integer('last_round_id').references(() => reviewRounds.id),
    fingerprint: text('fingerprint').notNull(),
    severity: text('severity', { enum: SEVERITIES }).notNull(),
    category: text('category', { enum: REVIEW_CATEGORIES }).notNull(),
    path: text('path').notNull(),
    line: integer('line'),
    body: text('body').notNull(),
    suggestion: text('suggestion'),
    status: text('status', { enum: FINDING_STATUSES }).notNull(),
    /** What the agent that fixes said about it last. */
    note: text('note'),
    /** The comment on GitHub that carries it; null for one that stands in the body of the review. */
    remoteId: integer('remote_id'),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [uniqueIndex('review_findings_identity').on(table.repoId, table.prNumber, table.fingerprint)],
);

/** Fixes that ended. */
export const reviewFixes = sqliteTable(
  'review_fixes',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    repoId: repoId(),
    prNumber: integer('pr_number').notNull(),
    /** The round whose findings it was about. */
    roundId: integer('round_id')
      .notNull()
      .references(() => reviewRounds.id),
    fixCycle: integer('fix_cycle').notNull(),
    turnKey: text('turn_key')
      .notNull()
      .references(() => turns.turnKey),
    outcome: text('outcome', { enum: ['pushed', 'failed', 'superseded'] }).notNull(),
    reason: text('reason'),
    /** What was pushed. */
    sha: text('sha'),
    endedAt: at('ended_at').notNull(),
  },
  (table) => [
    uniqueIndex('review_fixes_identity').on(table.turnKey),
    // A cycle is used once, whatever happens; what sent nothing used none.
    uniqueIndex('review_fixes_cycle')
      .on(table.repoId, table.prNumber, table.fixCycle)
      .where(sql`${table.outcome} <> 'superseded'`),
    index('review_fixes_by_pull').on(table.repoId, table.prNumber),
  ],
);
