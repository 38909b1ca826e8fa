import { ACTION_STATES, type ActionContent, type ActionKind } from '@mergexo/core/actions';
import { EVENT_KINDS, type Remark } from '@mergexo/core/feedback';
import type { ActionEnd, SkipReason } from '@mergexo/core/reasons';
import { TURN_STATES, type TurnKind } from '@mergexo/core/turns';
import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';
import { issueRuns } from './runs.js';

/**
 * Comments, reviews and signals from GitHub. Stores their text, because a retry must get the same input as
 * the first attempt. The original design calls this table `github_events`.
 */
export const feedbackEvents = sqliteTable(
  'feedback_events',
  {
    repoId: repoId(),
    /** `{pr_number}:{kind}:{comment_id}:{updated_at}` */
    eventKey: text('event_key').notNull(),
    prNumber: integer('pr_number').notNull(),
    issueNumber: integer('issue_number').notNull(),
    kind: text('kind', { enum: EVENT_KINDS }).notNull(),
    commentId: integer('comment_id').notNull(),
    updatedAt: text('updated_at').notNull(),
    payload: text('payload_json', { mode: 'json' }).$type<Remark>().notNull(),
    turnKey: text('turn_key'),
    /** Why MergeXO skipped the event; null if the event is pending or was answered. */
    skipReason: text('skip_reason', { mode: 'json' }).$type<SkipReason>(),
    seenAt: at('seen_at').notNull(),
    createdAt: at('created_at').notNull(),
    processedAt: at('processed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.repoId, table.eventKey] }),
    index('feedback_events_by_comment').on(table.repoId, table.prNumber, table.kind, table.commentId),
    index('feedback_events_pending')
      .on(table.repoId, table.prNumber)
      .where(sql`${table.processedAt} is null`),
    index('feedback_events_by_turn').on(table.turnKey).where(sql`${table.turnKey} is not null`),
    // The dashboard charts the time from a comment to its reply.
    index('feedback_events_answered')
      .on(table.processedAt, table.skipReason, table.updatedAt)
      .where(sql`${table.processedAt} is not null`),
    // The dashboard finds the issues on which a person commented.
    index('feedback_events_by_author').on(
      sql`lower(${table.payload} ->> '$.author.login')`,
      table.repoId,
      table.issueNumber,
    ),
  ],
);

const LIVE = sql.raw(`'open', 'queued', 'running', 'frozen', 'speaking'`);

/** One row per turn: an answer from an agent, and the actions that follow from it. */
export const turns = sqliteTable(
  'turns',
  {
    turnKey: text('turn_key').primaryKey(),
    repoId: repoId(),
    runId: integer('run_id').references(() => issueRuns.id),
    kind: text('kind').$type<TurnKind>().notNull(),
    issueNumber: integer('issue_number'),
    prNumber: integer('pr_number'),
    state: text('state', { enum: TURN_STATES }).notNull(),
    reason: text('reason'),
    epoch: integer('epoch').notNull(),
    begins: text('begins', { mode: 'json' }).$type<readonly string[]>().notNull(),
    workerId: text('worker_id'),
    heartbeatAt: at('heartbeat_at'),
    progressSequence: integer('progress_sequence'),
    crashes: integer('crashes').notNull(),
    agentFailures: integer('agent_failures').notNull(),
    infrastructureFailures: integer('infrastructure_failures').notNull(),
    notBefore: at('not_before'),
    context: text('context_json').notNull(),
    planDigest: text('plan_digest'),
    plan: text('plan_json'),
    bundle: blob('bundle', { mode: 'buffer' }),
    openedAt: at('opened_at').notNull(),
    endedAt: at('ended_at'),
  },
  (table) => [
    // The index allows one live turn per pull request and per run. A second insert changes nothing.
    uniqueIndex('turns_live_pr')
      .on(table.repoId, table.prNumber)
      .where(sql`${table.prNumber} is not null and ${table.state} in (${LIVE})`),
    uniqueIndex('turns_live_run')
      .on(table.runId)
      .where(sql`${table.runId} is not null and ${table.state} in (${LIVE})`),
    index('turns_live').on(table.state).where(sql`${table.state} in (${LIVE})`),
    index('turns_by_run').on(table.runId, table.openedAt),
  ],
);

/** Planned and sent writes to GitHub, one row per write. */
export const actions = sqliteTable(
  'actions',
  {
    /** Computed from the turn and the target, or from the cause if there is no turn. */
    id: text('id').primaryKey(),
    repoId: repoId(),
    turnKey: text('turn_key').references(() => turns.turnKey),
    /** The issue or pull request that the action belongs to. Actions of one thread are sent in order. */
    thread: integer('thread').notNull(),
    position: integer('position').notNull(),
    kind: text('kind').$type<ActionKind>().notNull(),
    target: text('target').notNull(),
    state: text('state', { enum: ACTION_STATES }).notNull(),
    token: text('token'),
    remoteId: integer('remote_id'),
    sends: integer('sends').notNull().default(0),
    error: text('error', { mode: 'json' }).$type<ActionEnd>(),
    /** Content decided when the action was planned; null if the content comes from the frozen plan. */
    payload: text('payload_json', { mode: 'json' }).$type<ActionContent['payload']>(),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [
    index('actions_by_remote_id').on(table.repoId, table.remoteId),
    index('actions_by_token').on(table.token),
    index('actions_by_turn').on(table.turnKey),
    index('actions_unsettled')
      .on(table.repoId, table.thread, table.position)
      .where(sql`${table.state} in ('planned', 'sending')`),
  ],
);
