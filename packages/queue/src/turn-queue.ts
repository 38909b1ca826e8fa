import type { Log } from '@mergexo/core/basics';
import type { JobState } from '@mergexo/core/ledger';
import { countOf } from '@mergexo/core/text';
import { buildJobId, type JobIdentity } from '@mergexo/core/turns';
import { type BulkJobOptions, Queue } from 'bullmq';
import { producerConnection, type RedisTarget } from './connect.js';
import { toFailure } from './to-failure.js';

export const TURNS_QUEUE = 'turns';
export const DEFAULT_PREFIX = 'mergexo';
/** A free worker promotes a due job almost at once. A job that is still delayed after this time is overdue. */
const SLACK_MS = 5_000;

/** Workers take the job with the lowest `priority` first. The lowest number is 1. */
export type QueuedTurn = JobIdentity & { delayMs?: number; priority?: number };
export type TurnQueue = ReturnType<typeof createTurnQueue>;

/**
 * Creates the poller's side of the `turns` queue. Jobs contain only ids; a worker gets the task from the answer to
 * `begin`.
 */
export function createTurnQueue(options: { target: RedisTarget; log: Log; prefix?: string }) {
  const queue = new Queue(TURNS_QUEUE, {
    connection: producerConnection(options.target),
    prefix: options.prefix ?? DEFAULT_PREFIX,
    defaultJobOptions: {
      // Old jobs are kept for the dashboard. They are harmless, because every re-added job has a new epoch in its id.
      removeOnComplete: { age: 24 * 3_600, count: 500 },
      removeOnFail: { age: 7 * 24 * 3_600, count: 500 },
    },
    streams: { events: { maxLen: 1_000 } },
  });
  queue.on('error', (error) => options.log.debug({ err: error }, 'connection error in the turns queue'));
  const promoteOverdue = createPromotion(queue);

  return {
    waitUntilReady: () => queue.waitUntilReady().then(() => undefined),

    /** Adds jobs. Adding the same turn and epoch again changes nothing. */
    enqueueTurns: (turns: readonly QueuedTurn[]): Promise<void> =>
      attempt(`enqueueing ${countOf(turns.length, 'turn')}`, async () => {
        await queue.addBulk(turns.map(toJob));
      }),

    /** Changes the priority of waiting jobs. Skips a job that a worker has taken. */
    prioritiseTurns: (turns: readonly Required<Omit<QueuedTurn, 'delayMs'>>[]): Promise<void> =>
      attempt(`ordering ${turns.length} jobs`, async () => {
        await Promise.all(
          turns.map(async ({ priority, ...identity }) => {
            const job = await queue.getJob(buildJobId(identity));
            if (job !== undefined && job.priority !== priority) await job.changePriority({ priority });
          }),
        );
      }),

    readJobState: (identity: JobIdentity): Promise<JobState> =>
      attempt('reading the state of a job', () => readState(queue, buildJobId(identity))),

    /** Lists the ids of jobs that are waiting for a worker. */
    listWaitingJobs: (): Promise<string[]> =>
      attempt('listing jobs', async () => {
        const jobs = await queue.getJobs(['waiting', 'delayed', 'prioritized']);
        return jobs.flatMap((job) => job?.id ?? []);
      }),

    /** Promotes overdue jobs and returns their number. */
    promoteOverdue: (monotonicNow: number): Promise<number> =>
      attempt('promoting overdue jobs', () => promoteOverdue(monotonicNow)),

    removeJob: (id: string): Promise<void> =>
      attempt('removing a job', async () => {
        await queue.remove(id);
      }),

    close: () => queue.close(),
  };
}

async function attempt<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error, action);
  }
}

function toJob({ turnKey, epoch, delayMs = 0, priority = 1 }: QueuedTurn) {
  const delay = delayMs > 0 ? { delay: Math.ceil(delayMs) } : {};
  const opts: BulkJobOptions = { jobId: buildJobId({ turnKey, epoch }), priority, ...delay };
  return { name: 'turn', data: { turnKey, epoch }, opts };
}

async function readState(queue: Queue, id: string): Promise<JobState> {
  const state = await queue.getJobState(id);
  if (state === 'unknown') return { kind: 'missing' };
  if (state === 'completed') return { kind: 'completed' };
  if (state !== 'failed') return { kind: 'present' };
  const job = await queue.getJob(id);
  return { kind: 'failed', reason: String(job?.failedReason ?? 'the job failed').slice(0, 1_000) };
}

/**
 * Creates a function that promotes overdue jobs. Delays use wall time, but clocks may be set back or differ between
 * hosts. So a job counts as due once its whole delay has passed on this process's monotonic clock.
 */
function createPromotion(queue: Queue): (monotonicNow: number) => Promise<number> {
  const delayedSince = new Map<string, { delay: number; at: number }>();
  return async (monotonicNow) => {
    const jobs = await queue.getDelayed();
    const ids = new Set(jobs.map(({ id }) => id));
    for (const id of delayedSince.keys()) if (!ids.has(id)) delayedSince.delete(id);
    const overdue = jobs.filter(({ id = '', delay }) => {
      const known = delayedSince.get(id);
      if (known?.delay !== delay) delayedSince.set(id, { delay, at: monotonicNow });
      return known?.delay === delay && monotonicNow - known.at > delay + SLACK_MS;
    });
    // Promoting fails if a worker promoted the job first, which has the same result.
    await Promise.allSettled(overdue.map((job) => job.promote()));
    return overdue.length;
  };
}
