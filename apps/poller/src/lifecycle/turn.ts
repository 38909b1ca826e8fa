import type { Json } from '@mergexo/core/basics';
import { type JobState, queueTurn, requeueTurn, type Step } from '@mergexo/core/ledger';
import { buildTurnEvent } from '@mergexo/core/timeline';
import type { Turn } from '@mergexo/core/turns';
import type { Records } from '../tools.js';
import { recordEvents } from './record-events.js';

/** Records a turn. Returns false if a turn with this key is already on record. Requires a transaction. */
export function recordTurn({ state }: Pick<Records, 'state'>, turn: Turn, context: Json): boolean {
  return state.recordTurn(turn, context);
}

/** Queues an open turn. Returns undefined if the turn is no longer open. Requires a transaction. */
export function queueOpenTurn(tools: Records, turn: Turn): Turn | undefined {
  const next = queueTurn(turn);
  if (next === undefined) return undefined;
  tools.state.saveTurn(next);
  recordEvents(tools, [buildTurnEvent('turn_queued', next)]);
  return next;
}

/**
 * Requeues or blocks a turn whose job is lost or failed. Returns undefined if no change is needed. Requires a
 * transaction.
 */
export function requeueLostTurn(tools: Records, turn: Turn, job: JobState): Turn | undefined {
  const next = requeueTurn(turn, job, tools.now());
  if (next === undefined) return undefined;
  tools.state.saveTurn(next);
  const reason = job.kind === 'failed' ? job.reason : null;
  const type = next.state === 'blocked' ? 'turn_blocked' : 'turn_queued';
  recordEvents(tools, [buildTurnEvent(type, next, { job: job.kind, reason })]);
  return next;
}

/** Saves the turn that `stepTurn` returned for a worker's message. Requires a transaction. */
export function saveStep({ state }: Pick<Records, 'state'>, { turn }: Step): void {
  state.saveTurn(turn);
}

/** Saves only the worker's heartbeat. Requires a transaction. */
export function saveHeartbeat({ state }: Pick<Records, 'state'>, { turn }: Step): void {
  state.saveHeartbeat(turn);
}

/** Marks a turn as done once its actions are settled. Requires a transaction. */
export function completeTurn(tools: Records, turn: Turn, facts: { events?: number } = {}): Turn {
  const { state, now } = tools;
  const done: Turn = { ...turn, state: 'done', endedAt: now() };
  state.saveTurn(done);
  state.forgetBundle(turn.turnKey);
  const seconds = (now() - turn.openedAt) / 1_000;
  recordEvents(tools, [buildTurnEvent('turn_completed', done, { seconds, ...facts })]);
  return done;
}
