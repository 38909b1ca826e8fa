import { randomBytes } from 'node:crypto';
import { JOB_LOCK_MS, type Log } from '@mergexo/core/basics';
import { parseJobId } from '@mergexo/core/turns';
import { DelayedError, type Job, Worker } from 'bullmq';
import { consumerConnection, type RedisTarget, RUN_RETRY_MS } from './connect.js';
import { DEFAULT_PREFIX, TURNS_QUEUE } from './turn-queue.js';

const STALLED_CHECK_MS = 2_000;

export type TurnDelivery = {
  turnKey: string;
  epoch: number;
  /** Unique per delivery, even for the same job, so that two deliveries never count as one attempt. */
  deliveryId: string;
  /** Asks Redis whether this worker still holds the job's lock. */
  provesLock(): Promise<boolean>;
};

export type TurnOutcome = { kind: 'over'; note: string } | { kind: 'later'; delayMs: number };

type RunTurn = (delivery: TurnDelivery) => Promise<TurnOutcome>;

export type TurnConsumer = { close(force?: boolean): Promise<void> };

export function consumeTurns(options: {
  target: RedisTarget;
  log: Log;
  slots: number;
  run: RunTurn;
  prefix?: string | undefined;
}): TurnConsumer {
  const { target, log, slots, run, prefix = DEFAULT_PREFIX } = options;
  const worker = new Worker(TURNS_QUEUE, (job, token) => deliver(job, token, run), {
    connection: consumerConnection(target),
    prefix,
    concurrency: slots,
    lockDuration: JOB_LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    runRetryDelay: RUN_RETRY_MS,
    // SQLite counts crashes and survives a loss of Redis, so BullMQ's own limit must never fail a job.
    maxStalledCount: 1_000_000,
  });
  worker.on('error', (error) => log.debug({ err: error }, 'connection error in the turns consumer'));
  worker.on('failed', (job, error) =>
    log.error({ job_id: job?.id, err: error }, 'a turn failed because of a bug in MergeXO'),
  );
  return { close: (force) => worker.close(force) };
}

async function deliver(job: Job, token: string | undefined, run: RunTurn): Promise<string> {
  const identity = parseJobId(job.id ?? '');
  if (identity === undefined || token === undefined) return 'not a turn';
  const outcome = await run({
    ...identity,
    deliveryId: randomBytes(8).toString('hex'),
    provesLock: async () => (await job.extendLock(token, JOB_LOCK_MS)) === 1,
  });
  if (outcome.kind === 'over') return outcome.note;
  await job.moveToDelayed(Date.now() + outcome.delayMs, token);
  throw new DelayedError();
}
