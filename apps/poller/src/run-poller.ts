import { hostname } from 'node:os';
import type { Settings } from '@mergexo/config';
import type { Log } from '@mergexo/core';
import {
  checkRedis,
  chooseRedisKind,
  createTurnQueue,
  describeTarget,
  parseRedisUrl,
  type RedisTarget,
  serveLedger,
  startEmbeddedRedis,
  watchRedis,
} from '@mergexo/queue';
import { holdLock, openState } from '@mergexo/state';
import { answerLedger } from './answer-ledger.js';
import { createHearing } from './hearing.js';
import { pollOnce } from './poll-once.js';
import { repeat } from './repeat.js';

export type RunningPoller = { stop(): Promise<void> };

const monotonicNow = (): number => performance.now();
const now = (): number => Date.now();

/** Takes the state, finds Redis, answers the ledger and polls until it is stopped. Undoes what it began in reverse order. */
export async function runPoller(settings: Settings, log: Log): Promise<RunningPoller> {
  const cleanups: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    await start(settings, log, cleanups);
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(settings: Settings, log: Log, cleanups: (() => unknown)[]): Promise<void> {
  const { paths, config } = settings;
  const startedAt = new Date().toISOString();
  const lock = holdLock(paths.lock, { pid: process.pid, host: hostname(), startedAt, purpose: 'the poller' });
  cleanups.push(() => lock.release());
  const state = openState(paths.database);
  cleanups.push(() => state.close());
  const target = await findRedis(settings, log, cleanups);
  const prefix = config.redis.keyPrefix;

  const queue = createTurnQueue({ target, log, prefix });
  cleanups.push(() => queue.close());
  await queue.waitUntilReady();
  const watch = watchRedis({ target, log, monotonicNow, onReturn: () => cycle.wake() });
  cleanups.push(() => watch.close());
  const hearing = createHearing({ monotonicNow, hearingSince: watch.hearingSince });
  const ledger = await serveLedger({
    target,
    log,
    prefix,
    answer: (message) => answerLedger({ state, queue, hearing, now, log }, message),
  });
  cleanups.push(() => ledger.close());

  const cycle = repeat(
    () => pollOnce({ state, queue, now, log, redisIsUp: watch.isUp }),
    config.runtime.pollIntervalSeconds * 1_000,
  );
  cleanups.push(() => cycle.stop());
  log.info({ base_dir: config.runtime.baseDir, redis: describeTarget(target) }, 'poller is ready');
}

async function findRedis(settings: Settings, log: Log, cleanups: (() => unknown)[]): Promise<RedisTarget> {
  const { redis, config, paths, searchPath } = settings;
  if (redis === undefined) {
    const embedded = await startEmbeddedRedis({ dir: paths.redis, kind: chooseRedisKind(searchPath), log });
    cleanups.push(() => embedded.stop());
    return embedded.target;
  }
  const target = parseRedisUrl(redis.url, redis.password);
  const { version, warnings } = await checkRedis(target, { allowInsecure: config.redis.allowInsecure });
  log.info({ redis_kind: 'configured', redis: describeTarget(target), version }, 'Redis is up');
  for (const warning of warnings) log.warn({ redis: describeTarget(target) }, warning);
  return target;
}
