import { silentLog } from '@mergexo/core/basics';
import { parseJobId } from '@mergexo/core/turns';
import { createRedis, type RedisTarget } from '@mergexo/queue';
import { eventually } from '@mergexo/testkit';
import { type Job, Queue, Worker } from 'bullmq';

export type Delivery = { turnKey: string; epoch: number; deliveryId: string; job: Job; token: string };
export type Carrier = Awaited<ReturnType<typeof createCarrier>>;

/** The `turns` queue handled job by job, so that a test decides when a job is taken, stalls or comes back. */
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
    /** Delays are the business of the model's clock: a postponed job may be taken at once. */
    async take(): Promise<Delivery | undefined> {
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
    /** A worker is gone or frozen: its lock runs out and the job goes back to the line. Without a delivery: all of them. */
    async stall(delivery?: Delivery): Promise<void> {
      const ids = delivery ? [delivery.job.id] : (await queue.getActive()).map((job) => job.id);
      for (const id of ids) await redis.del(`${prefix}:turns:${id}:lock`);
      await eventually(async () => {
        const active = await queue.getActive();
        if (active.some((job) => ids.includes(job.id))) throw new Error('still active');
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
