import { HEALTH_CODES, type HealthSubject } from '@mergexo/core/health';
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

/** Workers that are alive. Heartbeats renew a lease; a lease that expires means that its worker stopped responding. */
export const workerLeases = sqliteTable('worker_leases', {
  workerId: text('worker_id').primaryKey(),
  host: text('host').notNull(),
  pid: integer('pid').notNull(),
  since: at('since').notNull(),
  expiresAt: at('expires_at').notNull(),
});

/** Providers that accept no more work for now. */
export const agentLimits = sqliteTable('agent_limits', {
  adapter: text('adapter').primaryKey(),
  /** A clock that was set back to before this time does not prolong the limit. */
  since: at('since').notNull(),
  until: at('until').notNull(),
  reason: text('reason').notNull(),
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
