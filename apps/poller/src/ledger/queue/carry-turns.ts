import type { Config } from '@mergexo/config';
import type { Log } from '@mergexo/core/basics';
import type { TurnQueue } from '@mergexo/queue';
import type { State } from '@mergexo/state';
import { attempt } from '../../attempt.js';
import { queueOpenTurns } from './queue-open-turns.js';
import { reconcile } from './reconcile.js';

/** Queues open turns and reconciles Redis with SQLite. Runs in its own loop, so that polling never waits for Redis. */
export async function carryTurns(tools: {
  state: State;
  queue: TurnQueue;
  limits: Config['limits'];
  now: () => number;
  monotonicNow: () => number;
  log: Log;
}): Promise<void> {
  const { log, limits } = tools;
  await attempt(log, { step: 'queue open turns' }, () => queueOpenTurns({ ...tools, caps: limits }));
  await attempt(log, { step: 'reconcile' }, () => reconcile(tools));
}
