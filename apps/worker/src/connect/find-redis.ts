import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '@mergexo/config';
import { Failure, type Log } from '@mergexo/core/basics';
import { checkRedis, parseRedisUrl, type RedisTarget, readEndpoint } from '@mergexo/queue';

/** Finds the configured or the embedded Redis. Waits until Redis answers, so start order does not matter. */
export async function findRedis(settings: Settings, log: Log): Promise<RedisTarget> {
  for (let tries = 0; ; tries += 1) {
    const target = settings.redis
      ? parseRedisUrl(settings.redis.url, settings.redis.password)
      : readEndpoint(settings.paths.redis);
    settings.redact.learn([target?.password]);
    if (target !== undefined && (await isUp(target, settings))) return target;
    if (tries % 30 === 0) log.info({ endpoint: settings.paths.redis }, 'waiting for Redis and the poller');
    await pauseBetweenTries(tries);
  }
}

/** Waits only briefly at first, because the poller usually starts at the same time. Later waits last 1 s. */
export function pauseBetweenTries(tries: number): Promise<void> {
  return sleep(Math.min(1_000, 50 * 2 ** tries));
}

/**
 * Returns false if Redis is unreachable, because Redis may recover. Throws on a wrong setting, because
 * waiting would not fix it.
 */
async function isUp(target: RedisTarget, { config }: Settings): Promise<boolean> {
  try {
    await checkRedis(target, config.redis);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unavailable') return false;
    throw error;
  }
}
