import { Failure } from '@mergexo/core/basics';
import { backoffLeftMs, orderTurns, type Turn } from '@mergexo/core/turns';
import type { TurnQueue } from '@mergexo/queue';
import type { State } from '@mergexo/state';
import type { Records } from '../../tools.js';

type Tools = Records & { queue: Pick<TurnQueue, 'enqueueTurns' | 'prioritiseTurns'> };

/** Number of recently started turns to read, to find out when each repository last got a worker. */
export const REMEMBERED = 100;

/**
 * Enqueues turns, and updates the priorities of the waiting jobs. SQLite already lists the turns as queued,
 * so a Redis outage only delays them.
 */
export async function enqueueTurns(tools: Tools, turns: readonly Turn[]): Promise<void> {
  if (turns.length === 0) return;
  const { state, queue } = tools;
  const now = tools.now();
  const places = listPlaces(state);
  const isNew = new Set(turns.map(({ turnKey }) => turnKey));
  const jobs = turns.map((turn) => ({
    turnKey: turn.turnKey,
    epoch: turn.epoch,
    delayMs: backoffLeftMs(turn, now),
    priority: places.find(({ turnKey }) => turnKey === turn.turnKey)?.priority ?? 1,
  }));
  // Updates waiting jobs first, so that a new job never has the same priority as an older job.
  await attempt(tools, () => queue.prioritiseTurns(places.filter(({ turnKey }) => !isNew.has(turnKey))));
  await attempt(tools, () => queue.enqueueTurns(jobs));
}

function listPlaces(state: State): { turnKey: string; epoch: number; priority: number }[] {
  const waiting = state.listCarriedTurns().filter(({ workerId }) => workerId === null);
  return orderTurns(waiting, state.listLastBegun(REMEMBERED)).map(({ turnKey, epoch }, index) => ({
    turnKey,
    epoch,
    priority: index + 1,
  }));
}

async function attempt({ log }: Tools, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    log.debug({ err: error }, 'could not enqueue turns; the next reconcile retries');
  }
}
