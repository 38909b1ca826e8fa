import type { Settings } from '@mergexo/config';
import { Failure, silentLog } from '@mergexo/core/basics';
import type { LedgerAnswer, LedgerMessage } from '@mergexo/core/ledger';
import {
  bounded,
  checkRedis,
  createLedgerClient,
  parseRedisUrl,
  type RedisTarget,
  readEndpoint,
} from '@mergexo/queue';

const CLOSE_LIMIT_MS = 1_000;

/** Asks the running poller once; undefined when it, or Redis, did not answer: ask again with the same message. */
export async function askLedger(
  settings: Settings,
  message: LedgerMessage,
  timeoutMs: number,
): Promise<LedgerAnswer | undefined> {
  const { config, redis, paths } = settings;
  const target = redis ? parseRedisUrl(redis.url, redis.password) : readEndpoint(paths.redis);
  if (target === undefined) return undefined;
  try {
    await checkRedis(target, config.redis);
    return await ask(target, config.redis.keyPrefix, message, timeoutMs);
  } catch (error) {
    if (error instanceof Failure && (error.kind === 'unavailable' || error.kind === 'timed-out'))
      return undefined;
    throw error;
  }
}

async function ask(
  target: RedisTarget,
  prefix: string,
  message: LedgerMessage,
  timeoutMs: number,
): Promise<LedgerAnswer> {
  const client = await createLedgerClient({ target, log: silentLog, prefix });
  try {
    return await client.ask(message, timeoutMs);
  } finally {
    await bounded(client.close(), CLOSE_LIMIT_MS);
  }
}
