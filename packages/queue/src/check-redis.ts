import { Failure, isLoopbackHost } from '@mergexo/core/basics';
import type { Redis } from 'ioredis';
import { describeTarget, type RedisTarget, withRedis } from './connect.js';

export type RedisReport = { version: string; warnings: string[] };

/** Checks the Redis settings at startup, because a wrong setting could later lose jobs or expose the fleet. */
export async function checkRedis(
  target: RedisTarget,
  options: { allowInsecure: boolean },
): Promise<RedisReport> {
  if (!options.allowInsecure) refuseOpenRedis(target);
  try {
    return await withRedis(target, (redis) => inspect(redis, target));
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (/NOAUTH|WRONGPASS|NOPERM/.test(String(error))) {
      throw new Failure(
        'unauthorized',
        `Redis at ${describeTarget(target)} rejected the password. Check MERGEXO_REDIS_PASSWORD.`,
      );
    }
    throw new Failure(
      'unavailable',
      `Redis at ${describeTarget(target)} does not respond. Start it, or correct redis.url (MERGEXO_REDIS_URL).`,
      {
        cause: error,
      },
    );
  }
}

function refuseOpenRedis(target: RedisTarget): void {
  if (
    target.path !== undefined ||
    (target.password ?? '') !== '' ||
    isLoopbackHost(target.host ?? '127.0.0.1')
  )
    return;
  throw new Failure(
    'unauthorized',
    `Redis at ${describeTarget(target)} has no password and is not on this machine: anyone on the network could read ` +
      'prompts and diffs, and delay work. Set a password (MERGEXO_REDIS_PASSWORD) or, on a private network, set redis.allow_insecure = true.',
  );
}

async function inspect(redis: Redis, target: RedisTarget): Promise<RedisReport> {
  const info = parseInfo(await redis.info());
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    throw new Failure(
      'invalid-data',
      `Redis at ${describeTarget(target)} evicts keys (maxmemory-policy ${policy}), so jobs would be lost. ` +
        'Set maxmemory-policy noeviction.',
    );
  }
  const version = info.get('valkey_version') ?? info.get('redis_version') ?? 'unknown';
  const durable = info.get('aof_enabled') === '1';
  const warnings = durable
    ? []
    : ['Redis does not persist its data; after Redis restarts, MergeXO queues open turns again.'];
  return { version, warnings };
}

function parseInfo(text: string): Map<string, string> {
  const pairs = text.split(/\r?\n/).map((line) => line.split(':', 2));
  return new Map(pairs.flatMap(([key, value]) => (key && value !== undefined ? [[key, value]] : [])));
}
