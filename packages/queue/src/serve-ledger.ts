import { Failure, type Log } from '@mergexo/core/basics';
import type { LedgerAnswer } from '@mergexo/core/ledger';
import { Worker } from 'bullmq';
import { consumerConnection, createRedis, type RedisTarget, RUN_RETRY_MS } from './connect.js';
import { LEDGER_QUEUE } from './ledger-client.js';
import { createParcels, Envelope } from './parcels.js';
import { DEFAULT_PREFIX } from './turn-queue.js';

/** Many, because a `begin` may wait for GitHub, and no other call is to wait behind it. */
const CONCURRENCY = 64;

export type LedgerServer = { close(): Promise<void> };

/** Hands every message to `answer`; what that throws is not acknowledged, and the worker asks again. */
export async function serveLedger(options: {
  target: RedisTarget;
  log: Log;
  answer: (message: unknown) => LedgerAnswer | Promise<LedgerAnswer>;
  prefix?: string;
}): Promise<LedgerServer> {
  const { target, log, answer, prefix = DEFAULT_PREFIX } = options;
  const redis = createRedis(target);
  redis.on('error', (error) => log.debug({ err: error }, 'ledger parcels connection'));
  await redis.connect();
  const parcels = createParcels(redis, prefix);

  const worker = new Worker(
    LEDGER_QUEUE,
    async (job) => {
      const envelope = Envelope.safeParse(job.data);
      const message = envelope.success ? await readMessage(envelope.data) : job.data;
      const reply = await parcels.pack(JSON.stringify(await answer(message)));
      if (envelope.success) await parcels.drop(envelope.data);
      return reply;
    },
    {
      connection: consumerConnection(target),
      prefix,
      concurrency: CONCURRENCY,
      maxStalledCount: 1_000_000,
      lockDuration: 10_000,
      stalledInterval: 2_000,
      runRetryDelay: RUN_RETRY_MS,
    },
  );
  worker.on('error', (error) => log.debug({ err: error }, 'ledger worker connection'));
  worker.on('failed', (job, error) =>
    log.warn({ message_kind: job?.name, err: error }, 'ledger call not answered'),
  );
  await worker.waitUntilReady();

  async function readMessage(envelope: Envelope): Promise<unknown> {
    const text = await parcels.unpack(envelope);
    if (text === undefined) throw new Failure('unavailable', 'The parcel of a ledger message is gone.');
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  return {
    async close() {
      redis.disconnect();
      await worker.close();
    },
  };
}
