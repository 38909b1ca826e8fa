import { Failure, type Log, type Turn } from '@mergexo/core';
import type { TurnQueue } from '@mergexo/queue';

/** Gives the turns their jobs. SQLite already says that they are queued, so Redis being away costs only time. */
export async function enqueueTurns(
  tools: { queue: Pick<TurnQueue, 'enqueueTurns'>; now: () => number; log: Log },
  turns: readonly Turn[],
): Promise<void> {
  if (turns.length === 0) return;
  const now = tools.now();
  const jobs = turns.map(({ turnKey, epoch, notBefore }) => ({
    turnKey,
    epoch,
    delayMs: Math.max(0, (notBefore ?? 0) - now),
  }));
  try {
    await tools.queue.enqueueTurns(jobs);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    tools.log.debug({ err: error, turns: turns.length }, 'turns not enqueued yet');
  }
}
