import { HEALTH_CODES, type HealthSubject } from '@mergexo/core';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

/** Append-only: what happened, for people and for the evaluators that wait for it. */
export const runtimeEvents = sqliteTable(
  'runtime_events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    type: text('event_type').notNull(),
    repoId: integer('repo_id'),
    runId: integer('run_id'),
    issueNumber: integer('issue_number'),
    prNumber: integer('pr_number'),
    turnKey: text('turn_key'),
    eventKey: text('event_key'),
    actionToken: text('action_token'),
    payload: text('payload_json', { mode: 'json' }).notNull(),
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    index('runtime_events_by_issue').on(table.repoId, table.issueNumber),
    index('runtime_events_by_turn').on(table.turnKey),
    index('runtime_events_by_type').on(table.type, table.createdAt),
  ],
);

/** Who is alive: `worker/<id>` rows are renewed by heartbeats and expire without them. */
export const schedulerLeases = sqliteTable('scheduler_leases', {
  name: text('name').primaryKey(),
  holderId: text('holder_id').notNull(),
  /** When it was taken or renewed: a clock that was set back to before that does not prolong it. */
  since: at('since').notNull().default(0),
  expiresAt: at('expires_at').notNull(),
});

/** What the poller last learnt about itself, GitHub, Redis and each repository: what `status` and /readyz judge. */
export const health = sqliteTable('health', {
  subject: text('subject').$type<HealthSubject>().primaryKey(),
  code: text('code', { enum: HEALTH_CODES }).notNull(),
  since: at('since').notNull(),
  checkedAt: at('checked_at').notNull(),
  okAt: at('ok_at'),
  detail: text('detail'),
});

export const spend = sqliteTable(
  'spend',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    repoId: repoId(),
    runId: integer('run_id'),
    turnKey: text('turn_key').notNull(),
    attempt: integer('attempt').notNull(),
    inputTokens: integer('input_tokens').notNull().default(0),
    outputTokens: integer('output_tokens').notNull().default(0),
    costUsd: real('cost_usd').notNull().default(0),
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('spend_identity').on(table.turnKey, table.attempt),
    index('spend_by_day').on(table.createdAt),
  ],
);
