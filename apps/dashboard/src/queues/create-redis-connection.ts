import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '@mergexo/config';
import { Failure, type Log } from '@mergexo/core/basics';
import { createRedis, findRedisTarget } from '@mergexo/queue';

export type Redis = ReturnType<typeof createRedis>;

export type RedisConnection = {
  /** Rejects with a `Failure` within about two seconds if Redis is down, so that pages stay fast. */
  read<T>(work: (redis: Redis) => Promise<T>): Promise<T>;
  close(): void;
};

const CONNECT_TIMEOUT_MS = 700;
const RESPONSE_TIMEOUT_MS = 2_000;

/** Creates one shared read connection. Reconnects when the address of the poller's Redis changes. */
export function createRedisConnection(
  settings: Pick<Settings, 'redis' | 'paths' | 'redact'>,
  log: Log,
): RedisConnection {
  let current: { redis: Redis; where: string } | undefined;

  const connect = (): Redis => {
    const target = findRedisTarget(settings.redis, settings.paths.redis);
    if (target === undefined)
      throw new Failure('unavailable', 'Redis is not running yet. Start the poller, which starts Redis.');
    settings.redact.learn([target.password]);
    const where = JSON.stringify(target);
    if (current?.where === where) return current.redis;
    current?.redis.disconnect();
    const redis = createRedis(target);
    redis.on('error', (error) => log.debug({ err: error }, 'Redis connection failed'));
    void redis.connect().catch(() => {});
    current = { redis, where };
    return redis;
  };

  return {
    async read(work) {
      const redis = connect();
      if (redis.status !== 'ready') await waitUntilReady(redis);
      return limit(work(redis), RESPONSE_TIMEOUT_MS);
    },
    close() {
      current?.redis.disconnect();
    },
  };
}

async function waitUntilReady(redis: Redis): Promise<void> {
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
  } catch (error) {
    throw new Failure('unavailable', 'Redis is not responding.', { cause: error });
  }
}

async function limit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const stop = new AbortController();
  const late = sleep(limitMs, undefined, { signal: stop.signal }).then(() => {
    throw new Failure('unavailable', 'Redis timed out.');
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('unavailable', 'The dashboard cannot read from Redis.', { cause: error });
  } finally {
    stop.abort();
    late.catch(() => {});
  }
}
