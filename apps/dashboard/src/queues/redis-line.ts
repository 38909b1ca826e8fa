import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '@mergexo/config';
import { Failure, type Log } from '@mergexo/core/basics';
import { createRedis, parseRedisUrl, type RedisTarget, readEndpoint } from '@mergexo/queue';

export type Redis = ReturnType<typeof createRedis>;

export type RedisLine = {
  /** A `Failure` while Redis is away, within a second or two: a page never waits for it. */
  read<T>(work: (redis: Redis) => Promise<T>): Promise<T>;
  close(): void;
};

const CONNECT_LIMIT_MS = 700;
const ANSWER_LIMIT_MS = 2_000;

/** The configured Redis, or the one that the poller of this machine keeps. */
export function findTarget({ redis, paths }: Pick<Settings, 'redis' | 'paths'>): RedisTarget | undefined {
  return redis ? parseRedisUrl(redis.url, redis.password) : readEndpoint(paths.redis);
}

/** One connection for looking. It comes and goes with Redis, and moves along when the poller's Redis does. */
export function createRedisLine(settings: Pick<Settings, 'redis' | 'paths'>, log: Log): RedisLine {
  let current: { redis: Redis; where: string } | undefined;

  const connect = (): Redis => {
    const target = findTarget(settings);
    if (target === undefined)
      throw new Failure('unavailable', 'There is no Redis yet: the poller starts it.');
    const where = JSON.stringify(target);
    if (current?.where === where) return current.redis;
    current?.redis.disconnect();
    const redis = createRedis(target);
    redis.on('error', (error) => log.debug({ err: error }, 'dashboard Redis connection'));
    void redis.connect().catch(() => {});
    current = { redis, where };
    return redis;
  };

  return {
    async read(work) {
      const redis = connect();
      if (redis.status !== 'ready') await waitUntilReady(redis);
      return limit(work(redis), ANSWER_LIMIT_MS);
    },
    close() {
      current?.redis.disconnect();
    },
  };
}

async function waitUntilReady(redis: Redis): Promise<void> {
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) });
  } catch (error) {
    throw new Failure('unavailable', 'Redis does not answer.', { cause: error });
  }
}

async function limit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const stop = new AbortController();
  const late = sleep(limitMs, undefined, { signal: stop.signal }).then(() => {
    throw new Failure('unavailable', 'Redis does not answer in time.');
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('unavailable', 'Redis cannot be read.', { cause: error });
  } finally {
    stop.abort();
    late.catch(() => {});
  }
}
