import type { Log } from '@mergexo/core/basics';
import type { JobState } from '@mergexo/core/ledger';
import { countOf } from '@mergexo/core/text';
import { buildJobId, type JobIdentity } from '@mergexo/core/turns';
import { Queue } from 'bullmq';
import { producerConnection, type RedisTarget } from './connect.js';
import { toFailure } from './to-failure.js';

export const TURNS_QUEUE = 'turns';
export const DEFAULT_PREFIX = 'mergexo';
/** A worker that is free promotes a due job within a moment; only a job that nobody promotes is overdue. */
const SLACK_MS = 5_000;

/** Workers take the lowest priority first, from 1 on. */
export type QueuedTurn = JobIdentity & { delayMs?: number; priority?: number };
export type TurnQueue = ReturnType<typeof createTurnQueue>;

/** The poller's side of the `turns` queue. Jobs carry ids only: what to do comes from the answer to `begin`. */
export function createTurnQueue(options: { target: RedisTarget; log: Log; prefix?: string }) {
  const queue = new Queue(TURNS_QUEUE, {
    connection: producerConnection(options.target),
    prefix: options.prefix ?? DEFAULT_PREFIX,
    defaultJobOptions: {
      // Kept for the dashboard; a retained job is harmless because every re-add has a new epoch in its id.
      removeOnComplete: { age: 24 * 3_600, count: 500 },
      removeOnFail: { age: 7 * 24 * 3_600, count: 500 },
    },
    streams: { events: { maxLen: 1_000 } },
  });
  queue.on('error', (error) => options.log.debug({ err: error }, 'turns queue connection'));

  const delayedSince = new Map<string, { delay: number; at: number }>();

  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toFailure(error, what);
    }
  };

  return {
    waitUntilReady: () => queue.waitUntilReady().then(() => undefined),

    /** Adding the same turn and epoch again changes nothing. */
    enqueueTurns: (turns: readonly QueuedTurn[]): Promise<void> =>
      attempt(`enqueueing ${countOf(turns.length, 'turn')}`, async () => {
        await queue.addBulk(
          turns.map(({ turnKey, epoch, delayMs = 0, priority = 1 }) => ({
            name: 'turn',
            data: { turnKey, epoch },
            opts: {
              jobId: buildJobId({ turnKey, epoch }),
              priority,
              ...(delayMs > 0 && { delay: Math.ceil(delayMs) }),
            },
          })),
        );
      }),

    /** Moves jobs that wait already. A job that a worker took meanwhile is not disturbed. */
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
      attempt('looking for a job', async () => {
        const id = buildJobId(identity);
        const state = await queue.getJobState(id);
        if (state === 'unknown') return { kind: 'missing' };
        if (state === 'completed') return { kind: 'completed' };
        if (state !== 'failed') return { kind: 'present' };
        const job = await queue.getJob(id);
        return { kind: 'failed', reason: String(job?.failedReason ?? 'the job failed').slice(0, 1_000) };
      }),

    /** Ids of the jobs that wait for a worker. */
    listWaitingJobs: (): Promise<string[]> =>
      attempt('listing jobs', async () => {
        const jobs = await queue.getJobs(['waiting', 'delayed', 'prioritized']);
        return jobs.flatMap((job) => (job?.id === undefined ? [] : [job.id]));
      }),

    /**
     * Delays are wall times, and clocks are set back or differ between hosts. A job that has been delayed for its whole
     * delay on the monotonic clock of this process is due. Returns how many were promoted.
     */
    promoteOverdue: (monotonicNow: number): Promise<number> =>
      attempt('promoting overdue jobs', async () => {
        const jobs = await queue.getDelayed();
        const ids = new Set(jobs.map(({ id }) => id));
        for (const id of delayedSince.keys()) if (!ids.has(id)) delayedSince.delete(id);
        const overdue = jobs.filter(({ id = '', delay }) => {
          const known = delayedSince.get(id);
          if (known?.delay !== delay) delayedSince.set(id, { delay, at: monotonicNow });
          return known?.delay === delay && monotonicNow - known.at > delay + SLACK_MS;
        });
        // One that a worker promoted meanwhile is where it should be.
        await Promise.allSettled(overdue.map((job) => job.promote()));
        return overdue.length;
      }),

    removeJob: (id: string): Promise<void> =>
      attempt('removing a job', async () => {
        await queue.remove(id);
      }),

    close: () => queue.close(),
  };
}
