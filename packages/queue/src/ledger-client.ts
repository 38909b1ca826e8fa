import { Failure, type Log } from '@mergexo/core/basics';
import { buildRequestId, LedgerAnswer, type LedgerMessage, type Sender } from '@mergexo/core/ledger';
import { Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { consumerConnection, createRedis, producerConnection, type RedisTarget } from './connect.js';
import { listenForEvents } from './listen-for-events.js';
import { createParcels, type Parcels } from './parcels.js';
import { isSignedReply, SignedReply, signRequest } from './signed-envelope.js';
import { toFailure } from './to-failure.js';
import { DEFAULT_PREFIX } from './turn-queue.js';

export const LEDGER_QUEUE = 'ledger';

/** How long a blocking read waits: well below the time after which a silent connection counts as dead. */
const BLOCKING_MS = 5_000;

export type LedgerClient = {
  /**
   * Sends the message once, without retries. After a `Failure`, the outcome is unknown. Resending is safe,
   * because the poller applies a message only once.
   */
  ask(message: LedgerMessage, timeoutMs: number): Promise<LedgerAnswer>;
  close(): Promise<void>;
};

/** Sends messages from a worker to the poller. */
export async function createLedgerClient(options: {
  target: RedisTarget;
  log: Log;
  /** Read for every message, because the key changes when the operator renews the signing secret. */
  sender: () => Sender;
  prefix?: string | undefined;
}): Promise<LedgerClient> {
  const { target, log, prefix = DEFAULT_PREFIX } = options;
  const queue = new Queue(LEDGER_QUEUE, {
    connection: producerConnection(target),
    prefix,
    defaultJobOptions: { removeOnComplete: { age: 60, count: 1_000 }, removeOnFail: true },
    streams: { events: { maxLen: 1_000 } },
  });
  const redis = createRedis(target);
  const onError = (error: Error): void => log.debug({ err: error }, 'connection error in the ledger client');
  redis.on('error', onError);
  queue.on('error', onError);
  await Promise.all([queue.waitUntilReady(), redis.connect()]);
  const events = new QueueEvents(LEDGER_QUEUE, {
    connection: consumerConnection(target),
    prefix,
    autorun: false,
    blockingTimeout: BLOCKING_MS,
    // The default, `$`, misses every event that Redis writes before the first read.
    lastEventId: await readLastEventId(redis, prefix),
  });
  events.setMaxListeners(0);
  queue.setMaxListeners(0);
  events.on('error', onError);
  await events.waitUntilReady();
  const parcels = createParcels(redis, prefix);
  const closing = new AbortController();
  const checks = new Set<() => void>();
  const listening = listenForEvents(events, {
    readLastEventId: () => readLastEventId(redis, prefix),
    onSkipped: () => {
      for (const check of checks) check();
    },
    closing: closing.signal,
    log,
  });

  const ask = async (message: LedgerMessage, timeoutMs: number): Promise<LedgerAnswer> => {
    try {
      const envelope = await parcels.pack(JSON.stringify(message));
      const jobId = buildRequestId(message);
      const sender = options.sender();
      await queue.add(message.kind, signRequest(envelope, jobId, sender), { jobId });
      const result = await waitForResult({
        queue,
        events,
        checks,
        jobId,
        timeoutMs,
        closing: closing.signal,
      });
      try {
        return await openReply(parcels, result, { jobId, sender });
      } catch (error) {
        // If the job stayed, a retry would find it finished, with the same invalid answer.
        await queue.remove(jobId);
        throw error;
      }
    } catch (error) {
      throw toFailure(error, `ledger ${message.kind}`);
    }
  };

  return {
    ask,
    async close() {
      closing.abort(new Error('the ledger client was closed'));
      await Promise.all([queue.close(), events.close(), listening]);
      redis.disconnect();
    },
  };
}

/** Trusts only an answer that the poller signed for this request. */
async function openReply(
  parcels: Pick<Parcels, 'unpack' | 'drop'>,
  result: unknown,
  { jobId, sender }: { jobId: string; sender: Sender },
): Promise<LedgerAnswer> {
  const { data: reply } = SignedReply.safeParse(result);
  if (reply === undefined || !isSignedReply(reply, jobId, sender.key)) {
    throw new Failure(
      'unauthorized',
      `The answer in Redis is not signed with the key of "${sender.name}". Either the poller does not accept this key, ` +
        `because it is wrong or the signing secret was renewed, or somebody else writes to Redis.`,
    );
  }
  const text = await parcels.unpack(reply);
  if (text === undefined)
    throw new Failure('unavailable', "The poller's answer is no longer in Redis. MergeXO asks again.");
  const answer = LedgerAnswer.parse(JSON.parse(text));
  // Frees Redis memory early, because an answer with a file takes several megabytes. If this fails, the parcel expires
  // later. A client whose parcel is gone asks again.
  await parcels.drop(reply).catch(() => {});
  return answer;
}

async function readLastEventId(redis: Redis, prefix: string): Promise<string> {
  const [last] = await redis.xrevrange(`${prefix}:${LEDGER_QUEUE}:events`, '+', '-', 'COUNT', 1);
  return last?.[0] ?? '0';
}

type Wait = {
  queue: Queue;
  events: QueueEvents;
  /** Look for the result of each waiting request, in case its event was skipped. */
  checks: Set<() => void>;
  jobId: string;
  timeoutMs: number;
  closing: AbortSignal;
};

/**
 * Replaces `job.waitUntilFinished`, in which BullMQ reads the state of the job in a promise that is never awaited. If
 * Redis hangs at that moment, the unhandled rejection would end the process.
 */
function waitForResult({ queue, events, checks, jobId, timeoutMs, closing }: Wait): Promise<unknown> {
  let stop = (): void => {};
  const result = new Promise<unknown>((resolve, reject) => {
    const onCompleted = (event: { jobId: string; returnvalue: unknown }): void => {
      if (event.jobId === jobId) resolve(event.returnvalue);
    };
    const onFailed = (event: { jobId: string; failedReason: string }): void => {
      if (event.jobId === jobId) reject(new Error(event.failedReason));
    };
    const timer = setTimeout(() => reject(new Error(`timed out after ${timeoutMs} ms`)), timeoutMs);
    const onClosing = (): void => reject(closing.reason);
    closing.addEventListener('abort', onClosing, { once: true });
    if (closing.aborted) onClosing();
    events.on('completed', onCompleted).on('failed', onFailed);
    stop = () => {
      clearTimeout(timer);
      closing.removeEventListener('abort', onClosing);
      events.off('completed', onCompleted).off('failed', onFailed);
      checks.delete(check);
    };
    const check = (): void => {
      queue.getJob(jobId).then((job) => {
        if (job === undefined) reject(new Error('the job is no longer in Redis'));
        else if (job.finishedOn !== undefined) resolve(job.returnvalue);
      }, reject);
    };
    checks.add(check);
    // A job that finished before the listeners were added sends no event. BullMQ removes a failed job.
    check();
  });
  return result.finally(() => stop());
}
