import { Failure, type Log } from '@mergexo/core/basics';
import { backoffLeftMs, orderTurns, type Turn } from '@mergexo/core/turns';
import type { TurnQueue } from '@mergexo/queue';
import type { State } from '@mergexo/state';

type Tools = {
  state: State;
  queue: Pick<TurnQueue, 'enqueueTurns' | 'prioritiseTurns'>;
  now: () => number;
  log: Log;
};

/** Enough to know when each repository was served last. */
export const REMEMBERED = 100;

/**
 * Gives the turns their jobs, at their place among the jobs that wait already. SQLite already says that they are queued, so
 * an outage of Redis costs only time.
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
  // The waiting jobs move first: a new job that came before them would share its place with an older one for a moment.
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
    log.debug({ err: error }, 'turns not enqueued yet');
  }
}
