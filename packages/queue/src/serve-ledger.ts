import { Failure, type Log } from '@mergexo/core/basics';
import type { LedgerAnswer } from '@mergexo/core/ledger';
import { Worker } from 'bullmq';
import { consumerConnection, createRedis, type RedisTarget, RUN_RETRY_MS } from './connect.js';
import { LEDGER_QUEUE } from './ledger-client.js';
import { createParcels, type Envelope } from './parcels.js';
import { isSignedRequest, REJECTED, SignedRequest, signReply } from './signed-envelope.js';
import { DEFAULT_PREFIX } from './turn-queue.js';

/** The concurrency is high, because a `begin` may wait for GitHub and must not block other messages. */
const CONCURRENCY = 64;
/** Maximum length of a logged job name. The signature does not cover the name, so a job can have any name or none. */
const MAX_KIND = 40;
/** Minimum time between two warnings, because a repeated message can fail any number of times. */
const WARN_EVERY_MS = 60_000;

export type LedgerServer = { close(): Promise<void> };

/** A message with a valid signature, and the name of its sender. The poller still checks the content. */
export type VerifiedMessage = { message: unknown; from: string };

/**
 * Passes every message with a valid signature to `answer`. If `answer` throws, the message is not acknowledged and the
 * worker asks again.
 */
export async function serveLedger(options: {
  target: RedisTarget;
  log: Log;
  answer: (verified: VerifiedMessage) => LedgerAnswer | Promise<LedgerAnswer>;
  keyOf: (name: string) => string;
  onRejected: (rejected: { from: string | null; kind: string }) => void;
  prefix?: string | undefined;
}): Promise<LedgerServer> {
  const { target, log, answer, keyOf, onRejected, prefix = DEFAULT_PREFIX } = options;
  const redis = createRedis(target);
  redis.on('error', (error) =>
    log.debug({ err: error }, 'connection error while reading or writing ledger parcels'),
  );
  await redis.connect();
  const parcels = createParcels(redis, prefix);

  const worker = new Worker(
    LEDGER_QUEUE,
    async (job) => {
      const jobId = job.id ?? '';
      const { data: request } = SignedRequest.safeParse(job.data);
      const from = request?.from ?? null;
      const key = from === null ? undefined : keyOf(from);
      if (request === undefined || key === undefined || !isSignedRequest(request, jobId, key)) {
        onRejected({ from, kind: kindOf(job) });
        return REJECTED;
      }
      const message = await readMessage(request);
      const reply = await parcels.pack(JSON.stringify(await answer({ message, from: request.from })));
      await parcels.drop(request);
      return signReply(reply, jobId, key);
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
  worker.on('error', (error) => log.debug({ err: error }, 'connection error in the ledger server'));
  let warnedAt = Number.NEGATIVE_INFINITY;
  worker.on('failed', (job, error) => {
    const isDue = performance.now() - warnedAt >= WARN_EVERY_MS;
    if (isDue) warnedAt = performance.now();
    const write = isDue ? log.warn : log.debug;
    write.call(
      log,
      { message_kind: kindOf(job), err: error },
      'could not answer a message from a worker; the worker will ask again',
    );
  });
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

/** Also handles a job without a name, because anybody who can write to Redis can queue one. */
function kindOf(job: { name?: string | undefined } | undefined): string {
  return (job?.name ?? '').slice(0, MAX_KIND);
}
