import { Failure, type Log } from '@mergexo/core';
import type { TurnQueue } from '@mergexo/queue';
import type { State } from '@mergexo/state';
import { queueOpenTurns } from './queue-open-turns.js';
import { reconcile } from './reconcile.js';
import { sweepWorkers } from './watch-workers.js';

export type PollTools = {
  state: State;
  queue: TurnQueue;
  now: () => number;
  log: Log;
  redisIsUp: () => boolean;
};

/** One cycle. Each step stands alone: what fails today is tried again in the next cycle, and the others still run. */
export async function pollOnce(tools: PollTools): Promise<void> {
  await attempt(tools.log, 'sweep workers', () => sweepWorkers(tools));
  if (!tools.redisIsUp()) return;
  await attempt(tools.log, 'queue open turns', () => queueOpenTurns(tools));
  await attempt(tools.log, 'reconcile', () => reconcile(tools));
}

async function attempt(log: Log, step: string, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    log.warn({ step, err: error }, 'a step of the poll cycle failed');
  }
}
