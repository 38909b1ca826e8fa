import { Failure } from '@mergexo/core/basics';
import type { Redis } from 'ioredis';
import { createRedis, describeTarget, type RedisTarget } from './connect.js';

export type RedisReport = { version: string; warnings: string[] };

/** At start: a wrong setting would lose jobs or give away the fleet much later, and far from its cause. */
export async function checkRedis(
  target: RedisTarget,
  options: { allowInsecure: boolean },
): Promise<RedisReport> {
  if (!options.allowInsecure) refuseOpenRedis(target);
  const redis = createRedis(target);
  redis.on('error', () => {});
  try {
    await redis.connect();
    return await inspect(redis, target);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (/NOAUTH|WRONGPASS|NOPERM/.test(String(error))) {
      throw new Failure(
        'unauthorized',
        `Redis at ${describeTarget(target)} refuses the password (MERGEXO_REDIS_PASSWORD).`,
      );
    }
    throw new Failure('unavailable', `Redis at ${describeTarget(target)} does not answer. Is it running?`, {
      cause: error,
    });
  } finally {
    redis.disconnect();
  }
}

function refuseOpenRedis(target: RedisTarget): void {
  if (target.path !== undefined || (target.password ?? '') !== '' || isLoopback(target.host ?? '127.0.0.1'))
    return;
  throw new Failure(
    'unauthorized',
    `Redis at ${describeTarget(target)} has no password and is not on this machine: whoever reaches it commands the ` +
      'fleet. Set a password (MERGEXO_REDIS_URL), or redis.allow_insecure = true if the network itself is private.',
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

async function inspect(redis: Redis, target: RedisTarget): Promise<RedisReport> {
  const info = parseInfo(await redis.info());
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    throw new Failure(
      'invalid-data',
      `Redis at ${describeTarget(target)} evicts keys (maxmemory-policy ${policy}) and would drop jobs. ` +
        'Set maxmemory-policy noeviction.',
    );
  }
  const version = info.get('valkey_version') ?? info.get('redis_version') ?? 'unknown';
  const durable = info.get('aof_enabled') === '1';
  const warnings = durable
    ? []
    : ['Redis keeps nothing across its restart; open turns are queued anew after it.'];
  return { version, warnings };
}

function parseInfo(text: string): Map<string, string> {
  const pairs = text.split(/\r?\n/).map((line) => line.split(':', 2));
  return new Map(pairs.flatMap(([key, value]) => (key && value !== undefined ? [[key, value]] : [])));
}
