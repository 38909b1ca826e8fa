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
  /** Another one for every delivery, also of the same job, so that two deliveries are never one attempt. */
  deliveryId: string;
  /** Asks Redis, now, whether this worker still owns the job. */
  provesLock(): Promise<boolean>;
};

export type TurnOutcome = { kind: 'over'; note: string } | { kind: 'later'; delayMs: number };

export type TurnConsumer = { close(force?: boolean): Promise<void> };

export function consumeTurns(options: {
  target: RedisTarget;
  log: Log;
  slots: number;
  run: (delivery: TurnDelivery) => Promise<TurnOutcome>;
  prefix?: string;
  lockMs?: number;
  stalledCheckMs?: number;
}): TurnConsumer {
  const { target, log, slots, run } = options;
  const lockMs = options.lockMs ?? JOB_LOCK_MS;
  const worker = new Worker(TURNS_QUEUE, (job, token) => deliver(job, token, { run, lockMs }), {
    connection: consumerConnection(target),
    prefix: options.prefix ?? DEFAULT_PREFIX,
    concurrency: slots,
    lockDuration: lockMs,
    stalledInterval: options.stalledCheckMs ?? STALLED_CHECK_MS,
    runRetryDelay: RUN_RETRY_MS,
    // Crashes are counted in SQLite, where they survive Redis; BullMQ's own limit would fail the job for good.
    maxStalledCount: 1_000_000,
  });
  worker.on('error', (error) => log.debug({ err: error }, 'turns worker connection'));
  worker.on('failed', (job, error) =>
    log.error({ job_id: job?.id, err: error }, 'a turn failed by a bug of ours'),
  );
  return { close: (force) => worker.close(force) };
}

async function deliver(
  job: Job,
  token: string | undefined,
  { run, lockMs }: { run: (delivery: TurnDelivery) => Promise<TurnOutcome>; lockMs: number },
): Promise<string> {
  const identity = parseJobId(job.id ?? '');
  if (identity === undefined || token === undefined) return 'not a turn';
  const outcome = await run({
    ...identity,
    deliveryId: randomBytes(8).toString('hex'),
    provesLock: async () => (await job.extendLock(token, lockMs)) === 1,
  });
  if (outcome.kind === 'over') return outcome.note;
  await job.moveToDelayed(Date.now() + outcome.delayMs, token);
  throw new DelayedError();
}
