import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '@mergexo/config';
import { Failure, type Log, type LogCode } from '@mergexo/core/basics';
import { computeSender, type LedgerAnswer } from '@mergexo/core/ledger';
import type { SigningKeys } from '@mergexo/core/outbox';
import {
  checkRedis,
  chooseRedisKind,
  createTurnQueue,
  describeTarget,
  parseRedisUrl,
  type RedisTarget,
  type RedisWatch,
  serveLedger,
  startEmbeddedRedis,
  type TurnQueue,
  type VerifiedMessage,
  watchRedis,
} from '@mergexo/queue';

/** The connection to the workers through Redis. */
export type Fleet = { queue: TurnQueue; watch: RedisWatch };

export type ConnectTools = {
  log: Log;
  /** Functions that the poller calls when it stops. */
  cleanups: (() => unknown)[];
  monotonicNow: () => number;
  onReturn: () => void;
  keys: SigningKeys;
  answer: (verified: VerifiedMessage, queue: TurnQueue) => Promise<LedgerAnswer>;
  onRejected: Parameters<typeof serveLedger>[0]['onRejected'];
};

/** Waits until Redis responds. In the meantime the poller polls and posts, because neither needs Redis. */
export async function connectFleet(settings: Settings, tools: ConnectTools): Promise<Fleet> {
  const { log, cleanups } = tools;
  const target = await findRedis(settings, tools);
  const scope = { target, log, prefix: settings.config.redis.keyPrefix };
  const queue = createTurnQueue(scope);
  cleanups.push(() => queue.close());
  await queue.waitUntilReady();
  const watch = watchRedis({ ...tools, target });
  cleanups.push(() => watch.close());
  const ledger = await serveLedger({
    ...scope,
    keyOf: (name) => computeSender(tools.keys.current, name).key,
    answer: (verified) => tools.answer(verified, queue),
    onRejected: tools.onRejected,
  });
  cleanups.push(() => ledger.close());
  return { queue, watch };
}

async function findRedis(settings: Settings, { log, cleanups }: ConnectTools): Promise<RedisTarget> {
  const { redis, config, paths, searchPath } = settings;
  if (redis === undefined) {
    const embedded = await startEmbeddedRedis({ dir: paths.redis, kind: chooseRedisKind(searchPath), log });
    cleanups.push(() => embedded.stop());
    settings.redact.learn([embedded.target.password]);
    return embedded.target;
  }
  const target = parseRedisUrl(redis.url, redis.password);
  const where = describeTarget(target);
  let stopped = false;
  cleanups.push(() => {
    stopped = true;
  });
  for (let tries = 0; !stopped; tries += 1) {
    try {
      const { version, warnings } = await checkRedis(target, config.redis);
      const code: LogCode = 'redis_up';
      log.info({ code, redis_kind: 'configured', redis: where, version }, 'Redis is up');
      for (const warning of warnings) log.warn({ redis: where }, warning);
      return target;
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'unavailable') throw error;
      if (tries === 0)
        log.warn(
          { redis: where },
          'Redis is not responding; the poller polls and posts without it, and retries',
        );
      await sleep(500);
    }
  }
  throw new Failure('unavailable', 'The poller was stopped before it reached Redis.');
}
