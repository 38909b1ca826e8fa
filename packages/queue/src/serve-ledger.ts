import { Failure, type Log } from '@mergexo/core/basics';
import type { LedgerAnswer } from '@mergexo/core/ledger';
import { Worker } from 'bullmq';
import { consumerConnection, createRedis, type RedisTarget, RUN_RETRY_MS } from './connect.js';
import { LEDGER_QUEUE } from './ledger-client.js';
import { createParcels, Envelope } from './parcels.js';
import { DEFAULT_PREFIX } from './turn-queue.js';

/** The concurrency is high, because a `begin` may wait for GitHub and must not block other messages. */
const CONCURRENCY = 64;

export type LedgerServer = { close(): Promise<void> };

/** Passes every message to `answer`. If `answer` throws, the message is not acknowledged and the worker asks again. */
export async function serveLedger(options: {
  target: RedisTarget;
  log: Log;
  answer: (message: unknown) => LedgerAnswer | Promise<LedgerAnswer>;
  prefix?: string | undefined;
}): Promise<LedgerServer> {
  const { target, log, answer, prefix = DEFAULT_PREFIX } = options;
  const redis = createRedis(target);
  redis.on('error', (error) => log.debug({ err: error }, 'connection error of the ledger parcels'));
  await redis.connect();
  const parcels = createParcels(redis, prefix);

  const worker = new Worker(
    LEDGER_QUEUE,
    async (job) => {
      const envelope = Envelope.safeParse(job.data);
      const message = envelope.success ? await readMessage(envelope.data) : undefined;
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
  worker.on('error', (error) => log.debug({ err: error }, 'connection error of the ledger server'));
  worker.on('failed', (job, error) =>
    log.warn(
      { message_kind: job?.name, err: error },
      'could not answer a message from a worker; the worker will ask again',
    ),
  );
  await worker.waitUntilReady();

  async function readMessage(envelope: Envelope): Promise<unknown> {
    const text = await parcels.unpack(envelope);
    if (text === undefined)
      throw new Failure(
        'unavailable',
        "The content of a worker's message is no longer in Redis. The worker will send it again.",
      );
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
