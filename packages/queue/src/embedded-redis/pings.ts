import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { RedisTarget } from '../connect.js';

const ONE_QUICK_TRY = {
  lazyConnect: true,
  retryStrategy: () => null,
  connectTimeout: 2_000,
  disconnectTimeout: 100,
  commandTimeout: 2_000,
} as const;

export async function pings(target: RedisTarget): Promise<boolean> {
  const redis = new Redis({ ...target, ...ONE_QUICK_TRY });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}

/** Waits up to 10 s for the first response of a new server. */
export async function answers(target: RedisTarget): Promise<boolean> {
  const deadline = performance.now() + 10_000;
  while (performance.now() < deadline) {
    if (await pings(target)) return true;
    await sleep(20);
  }
  return false;
}
