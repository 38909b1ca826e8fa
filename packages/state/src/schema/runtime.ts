import { HEALTH_CODES, type HealthSubject } from '@mergexo/core/health';
import type { WorkerNotice } from '@mergexo/core/ledger';
import type { NotifyChannel } from '@mergexo/core/notices';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

/** Event log, for people and for programs that wait for an event. */
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
    // With the turn, the charts of the dashboard need no row of the table.
    index('runtime_events_by_type').on(table.type, table.createdAt, table.turnKey),
  ],
);

/** Live workers. Heartbeats renew a lease. An expired lease means that the worker stopped responding. */
export const workerLeases = sqliteTable('worker_leases', {
  workerId: text('worker_id').primaryKey(),
  host: text('host').notNull(),
  pid: integer('pid').notNull(),
  since: at('since').notNull(),
  expiresAt: at('expires_at').notNull(),
  notices: text('notices_json', { mode: 'json' }).$type<readonly WorkerNotice[]>(),
});

/**
 * The sequence of each worker's last heartbeat. Rows are kept after a worker stops, because its heartbeats never expire
 * and a replayed heartbeat would renew the lease.
 */
export const workerSequences = sqliteTable('worker_sequences', {
  workerId: text('worker_id').primaryKey(),
  sequence: integer('sequence').notNull(),
});

/**
 * Tokens that workers have received and that are not revoked yet, encrypted with a key that is not in the database.
 * Each row is recorded before its token leaves the poller.
 */
export const workerTokens = sqliteTable('worker_tokens', {
  id: integer('id').primaryKey(),
  turnKey: text('turn_key').notNull(),
  attempt: integer('attempt').notNull(),
  sealed: text('sealed').notNull(),
  since: at('since').notNull(),
  /** When the token expires. */
  until: at('until').notNull(),
});

/** Operators' requests and their answers, so that a repeated request changes nothing. */
export const operatorRequests = sqliteTable('operator_requests', {
  requestId: text('request_id').primaryKey(),
  expiresAt: at('expires_at').notNull(),
  answer: text('answer_json').notNull(),
});

/** Operators' pauses. MergeXO starts no turn of a paused issue or repository. */
export const operatorPauses = sqliteTable(
  'operator_pauses',
  {
    /** 0 for every repository. */
    repoId: integer('repo_id').notNull(),
    /** 0 for the whole repository. */
    issueNumber: integer('issue_number').notNull(),
    since: at('since').notNull(),
    by: text('paused_by').notNull(),
    reason: text('reason'),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.issueNumber] })],
);

/** Providers that currently reject work. */
export const agentLimits = sqliteTable('agent_limits', {
  adapter: text('adapter').primaryKey(),
  /** When the limit began. If the system clock is set back to before this time, the limit counts as over. */
  since: at('since').notNull(),
  until: at('until').notNull(),
  reason: text('reason').notNull(),
});

/** The poller's latest reports about itself, GitHub, Redis and each repository, for `status` and /readyz. */
export const health = sqliteTable('health', {
  subject: text('subject').$type<HealthSubject>().primaryKey(),
  code: text('code', { enum: HEALTH_CODES }).notNull(),
  since: at('since').notNull(),
  checkedAt: at('checked_at').notNull(),
  okAt: at('ok_at'),
  detail: text('detail'),
});

/**
 * How far each notification channel has delivered `runtime_events`. `attempts` counts the sends of the next message, so
 * that neither a crash nor a broken channel repeats a message forever.
 */
export const notifyChannels = sqliteTable('notify_channels', {
  channel: text('channel').$type<NotifyChannel>().primaryKey(),
  /** The last event that was delivered, given up or needs no message. */
  eventId: integer('event_id').notNull(),
  attempts: integer('attempts').notNull().default(0),
  /** When the wait for the next send began, and when it ends. */
  waitSince: at('wait_since').notNull().default(0),
  waitUntil: at('wait_until').notNull().default(0),
});

export const spend = sqliteTable(
  'spend',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    repoId: repoId(),
    runId: integer('run_id'),
    turnKey: text('turn_key').notNull(),
    attempt: integer('attempt').notNull(),
    /** The agent of the attempt, and its model; null if unknown. */
    adapter: text('adapter'),
    model: text('model'),
    inputTokens: integer('input_tokens').notNull().default(0),
    /** The part of the input tokens that the provider read from its cache; null if the agent does not report it. */
    cachedTokens: integer('cached_tokens'),
    outputTokens: integer('output_tokens').notNull().default(0),
    costUsd: real('cost_usd').notNull().default(0),
    /** `agent`: the agent reported the cost. `prices`: computed from `[prices]`. Null if the cost is unknown. */
    costSource: text('cost_source', { enum: ['agent', 'prices'] }),
    /** How long the agent ran; null if unknown. */
    durationMs: integer('duration_ms'),
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('spend_identity').on(table.turnKey, table.attempt),
    index('spend_by_day').on(table.createdAt),
    index('spend_by_run').on(table.runId, table.createdAt),
  ],
);
