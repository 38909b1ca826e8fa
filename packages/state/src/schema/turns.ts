import { ACTION_KINDS, ACTION_STATES } from '@mergexo/core/actions';
import { EVENT_KINDS, type Remark } from '@mergexo/core/feedback';
import { TURN_KINDS, TURN_STATES } from '@mergexo/core/turns';
import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';
import { issueRuns } from './runs.js';

/** Also known as `feedback_events` and `github_events`, with the bodies: a retry must see what the first try saw. */
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
    skipReason: text('skip_reason'),
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
  ],
);

const LIVE = sql.raw(`'open', 'queued', 'running', 'frozen', 'speaking'`);

/** One answer of an agent and everything that follows from it. */
export const turns = sqliteTable(
  'turns',
  {
    turnKey: text('turn_key').primaryKey(),
    repoId: repoId(),
    runId: integer('run_id').references(() => issueRuns.id),
    kind: text('kind', { enum: TURN_KINDS }).notNull(),
    issueNumber: integer('issue_number'),
    prNumber: integer('pr_number'),
    state: text('state', { enum: TURN_STATES }).notNull(),
    reason: text('reason'),
    epoch: integer('epoch').notNull(),
    begins: text('begins', { mode: 'json' }).$type<readonly string[]>().notNull(),
    workerId: text('worker_id'),
    heartbeatAt: at('heartbeat_at'),
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
    // One turn per pull request and per run at a time: the second insert changes no row.
    uniqueIndex('turns_live_pr')
      .on(table.repoId, table.prNumber)
      .where(sql`${table.prNumber} is not null and ${table.state} in (${LIVE})`),
    uniqueIndex('turns_live_run')
      .on(table.runId)
      .where(sql`${table.runId} is not null and ${table.state} in (${LIVE})`),
    index('turns_live').on(table.state).where(sql`${table.state} in (${LIVE})`),
  ],
);

/** Plan and outbox: one row per write to GitHub. */
export const actions = sqliteTable(
  'actions',
  {
    /** Made of the turn and the target, or of the cause where there is no turn. */
    id: text('id').primaryKey(),
    repoId: repoId(),
    turnKey: text('turn_key').references(() => turns.turnKey),
    /** The issue or pull request in whose order the action is sent. */
    thread: integer('thread').notNull(),
    position: integer('position').notNull(),
    kind: text('kind', { enum: ACTION_KINDS }).notNull(),
    target: text('target').notNull(),
    state: text('state', { enum: ACTION_STATES }).notNull(),
    token: text('token'),
    remoteId: integer('remote_id'),
    sends: integer('sends').notNull().default(0),
    error: text('error'),
    /** Words that were decided when the action was planned; null where the frozen plan has them. */
    words: text('words'),
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
