import { silentLog } from '@mergexo/core/basics';
import { parseJobId } from '@mergexo/core/turns';
import { createRedis, type RedisTarget } from '@mergexo/queue';
import { eventually } from '@mergexo/testkit';
import { type Job, Queue, Worker } from 'bullmq';

export type Delivery = { turnKey: string; epoch: number; deliveryId: string; job: Job; token: string };
export type Carrier = Awaited<ReturnType<typeof createCarrier>>;

/** Handles the `turns` queue job by job, so that a test controls when a job is taken, stalls or returns. */
export async function createCarrier(target: RedisTarget, prefix: string) {
  const redis = createRedis(target);
  redis.on('error', (error) => silentLog.debug({ err: error }, 'carrier'));
  await redis.connect();
  const settings = { connection: { ...target, maxRetriesPerRequest: null }, prefix };
  const queue = new Queue('turns', settings);
  const worker = new Worker('turns', null, {
    ...settings,
    autorun: false,
    lockDuration: 60_000,
    stalledInterval: 15,
    maxStalledCount: 1_000_000,
  });
  worker.on('error', () => {});
  await worker.waitUntilReady();
  await worker.startStalledCheckTimer();
  let serial = 0;

  const next = async (): Promise<Delivery | undefined> => {
    serial += 1;
    const token = `token-${serial}`;
    const job = await worker.getNextJob(token, { block: false });
    const identity = job?.id === undefined ? undefined : parseJobId(job.id);
    if (job === undefined || identity === undefined) return undefined;
    return { ...identity, deliveryId: `delivery-${serial}`, job, token };
  };

  return {
    /** Takes the next job, even a delayed one, because the test's clock controls delays. */
    async receive(): Promise<Delivery | undefined> {
      const found = await next();
      if (found !== undefined) return found;
      await queue.promoteJobs();
      return next();
    },
    async complete({ job, token }: Delivery): Promise<void> {
      await job.moveToCompleted('over', token, false).catch(() => {});
    },
    async postpone({ job, token }: Delivery): Promise<void> {
      await job.moveToDelayed(Date.now() + 60_000, token).catch(() => {});
    },
    provesLock: async ({ job, token }: Delivery): Promise<boolean> =>
      (await job.extendLock(token, 60_000)) === 1,
    /**
     * Simulates a crashed or frozen worker: its lock expires and the job returns to the queue. Without a delivery, all
     * active jobs return.
     */
    async stall(delivery?: Delivery): Promise<void> {
      const ids = delivery ? [delivery.job.id] : (await queue.getActive()).map((job) => job.id);
      for (const id of ids) await redis.del(`${prefix}:turns:${id}:lock`);
      await eventually(async () => {
        const active = await queue.getActive();
        if (active.some((job) => ids.includes(job.id))) throw new Error('the job is still active');
      });
    },
    async flush(): Promise<void> {
      const keys = await redis.keys(`${prefix}:*`);
      if (keys.length > 0) await redis.del(...keys);
    },
    async close(): Promise<void> {
      await worker.close(true);
      await queue.close();
      redis.disconnect();
    },
  };
}
