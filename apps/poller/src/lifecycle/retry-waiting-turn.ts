import { buildTurnEvent, retryNow } from '@mergexo/core';
import type { Records } from '../tools.js';
import { recordEvents } from './record-events.js';

export const RETRYING = 'Retrying now, as soon as a worker is free.';

/** Starts a retry that waits, as soon as a worker is free. False when none waits. Inside a transaction. */
export function retryWaitingTurn(tools: Records, runId: number): boolean {
  const { state, now } = tools;
  const turn = state.readLiveTurnOfRun(runId);
  const next = turn && retryNow(turn, now());
  if (next === undefined) return false;
  state.saveTurn(next);
  recordEvents(tools, [buildTurnEvent('turn_queued', next, { reason: 'an operator asked for a retry' })]);
  return true;
}
