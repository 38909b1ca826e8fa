import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';
import { turns } from './turns.js';

export const reviewRounds = sqliteTable(
  'review_rounds',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    repoId: repoId(),
    prNumber: integer('pr_number').notNull(),
    headSha: text('head_sha').notNull(),
    fixCycle: integer('fix_cycle').notNull(),
    turnKey: text('turn_key').references(() => turns.turnKey),
    verdict: text('verdict', { enum: ['approved', 'changes_requested'] }),
    summary: text('summary'),
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
    roundId: integer('round_id')
      .notNull()
      .references(() => reviewRounds.id),
    fingerprint: text('fingerprint').notNull(),
    severity: text('severity', { enum: ['critical', 'high', 'medium', 'low'] }).notNull(),
    category: text('category').notNull(),
    path: text('path').notNull(),
    line: integer('line'),
    body: text('body').notNull(),
    suggestion: text('suggestion'),
    status: text('status', { enum: ['open', 'fixed', 'wontfix', 'disputed', 'dismissed'] }).notNull(),
    remoteId: integer('remote_id'),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [uniqueIndex('review_findings_identity').on(table.repoId, table.prNumber, table.fingerprint)],
);
