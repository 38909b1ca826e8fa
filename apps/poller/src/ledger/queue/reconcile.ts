import type { JobState } from '@mergexo/core/ledger';
import { buildJobId, isCarried, parseJobId, type Turn } from '@mergexo/core/turns';
import type { TurnQueue } from '@mergexo/queue';
import { blockRunOf } from '../../lifecycle/run/stop-run.js';
import { requeueLostTurn } from '../../lifecycle/turn.js';
import type { Records } from '../../tools.js';
import { enqueueTurns } from './enqueue-turns.js';

type Tools = Records & {
  queue: TurnQueue;
  monotonicNow: () => number;
};

/** Restores the jobs in Redis from SQLite, so that a loss of Redis data is harmless. */
export async function reconcile(tools: Tools): Promise<{ requeued: number; removed: number }> {
  const requeued = await requeueLostTurns(tools);
  const removed = await removeLeftovers(tools);
  const promoted = await tools.queue.promoteOverdue(tools.monotonicNow());
  if (promoted > 0)
    tools.log.warn({ promoted }, 'retries were overdue and start now; check whether a clock was set back');
  if (requeued + removed > 0) tools.log.info({ requeued, removed }, 'reconciled the queue with the state');
  return { requeued, removed };
}

async function requeueLostTurns(tools: Tools): Promise<number> {
  const seen = tools.state.listCarriedTurns();
  const jobs = await Promise.all(seen.map((turn) => tools.queue.readJobState(turn)));
  const requeued = tools.state.transaction(() =>
    seen.flatMap((turn, i) => requeueOne(tools, turn, jobs[i] ?? { kind: 'present' })),
  );
  await enqueueTurns(tools, requeued.filter(isCarried));
  return requeued.length;
}

/** Requeues a lost turn. Reads the turn again, because the ledger may have changed it during the Redis requests. */
function requeueOne(tools: Tools, seen: Turn, job: JobState): Turn[] {
  const { state } = tools;
  const turn = state.readTurn(seen.turnKey);
  if (turn === undefined || turn.epoch !== seen.epoch || turn.begins.length !== seen.begins.length) return [];
  const next = requeueLostTurn(tools, turn, job);
  if (next === undefined) return [];
  if (next.state === 'blocked') blockRunOf(tools, next, { kind: 'turn_failed' });
  return [next];
}

/** Removes jobs of ended turns and older epochs. `begin` would refuse these jobs, but they would delay other jobs. */
async function removeLeftovers({ state, queue }: Tools): Promise<number> {
  const ids = await queue.listWaitingJobs();
  const leftovers = ids.filter((id) => {
    const identity = parseJobId(id);
    const turn = identity && state.readTurn(identity.turnKey);
    return turn === undefined || !isCarried(turn) || buildJobId(turn) !== id;
  });
  await Promise.all(leftovers.map((id) => queue.removeJob(id)));
  return leftovers.length;
}
