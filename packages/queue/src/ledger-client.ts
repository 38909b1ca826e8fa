import { Failure, type Log } from '@mergexo/core/basics';
import { buildRequestId, LedgerAnswer, type LedgerMessage } from '@mergexo/core/ledger';
import { Queue, QueueEvents } from 'bullmq';
import { consumerConnection, createRedis, producerConnection, type RedisTarget } from './connect.js';
import { createParcels, Envelope } from './parcels.js';
import { toFailure } from './to-failure.js';
import { DEFAULT_PREFIX } from './turn-queue.js';

export const LEDGER_QUEUE = 'ledger';

/** Well below the silence after which a connection counts as dead. */
const BLOCKING_MS = 5_000;

export type LedgerClient = {
  /** One try. A `Failure` means that the outcome is unknown: ask again with the same message, it changes nothing twice. */
  ask(message: LedgerMessage, timeoutMs: number): Promise<LedgerAnswer>;
  close(): Promise<void>;
};

/** The worker's line to the poller. */
export async function createLedgerClient(options: {
  target: RedisTarget;
  log: Log;
  prefix?: string;
}): Promise<LedgerClient> {
  const { target, log, prefix = DEFAULT_PREFIX } = options;
  const queue = new Queue(LEDGER_QUEUE, {
    connection: producerConnection(target),
    prefix,
    defaultJobOptions: { removeOnComplete: { age: 60, count: 1_000 }, removeOnFail: true },
    streams: { events: { maxLen: 1_000 } },
  });
  const events = new QueueEvents(LEDGER_QUEUE, {
    connection: consumerConnection(target),
    prefix,
    blockingTimeout: BLOCKING_MS,
  });
  events.setMaxListeners(0);
  queue.setMaxListeners(0);
  const redis = createRedis(target);
  const onError = (error: Error): void => log.debug({ err: error }, 'ledger connection');
  queue.on('error', onError);
  events.on('error', onError);
  redis.on('error', onError);
  await Promise.all([queue.waitUntilReady(), events.waitUntilReady(), redis.connect()]);
  const parcels = createParcels(redis, prefix);

  const ask = async (message: LedgerMessage, timeoutMs: number): Promise<LedgerAnswer> => {
    try {
      const envelope = await parcels.pack(JSON.stringify(message));
      const job = await queue.add(message.kind, envelope, { jobId: buildRequestId(message) });
      const text = await parcels.unpack(Envelope.parse(await job.waitUntilFinished(events, timeoutMs)));
      if (text === undefined) throw new Failure('unavailable', 'The answer of the ledger is gone.');
      return LedgerAnswer.parse(JSON.parse(text));
    } catch (error) {
      throw toFailure(error, `ledger ${message.kind}`);
    }
  };

  return {
    ask,
    async close() {
      await Promise.all([queue.close(), events.close()]);
      redis.disconnect();
    },
  };
}
