import { silentLog } from '@mergexo/core/basics';
import type { LedgerAnswer, LedgerMessage, Sender } from '@mergexo/core/ledger';
import { bounded } from '@mergexo/process';
import { checkRedis } from './check-redis.js';
import { parseRedisUrl, type RedisTarget } from './connect.js';
import { readEndpoint } from './embedded-redis/endpoint.js';
import { createLedgerClient } from './ledger-client.js';

const CLOSE_LIMIT_MS = 1_000;

/** Returns the configured Redis, or else the poller's embedded Redis in `dir`; undefined while none is running. */
export function findRedisTarget(
  configured: { url: string; password: string | undefined } | undefined,
  dir: string,
): RedisTarget | undefined {
  return configured ? parseRedisUrl(configured.url, configured.password) : readEndpoint(dir);
}

/**
 * Asks the running poller once, over a new connection. Fails with 'unavailable' or 'timed-out' if no answer arrives.
 */
export async function askLedger(
  redis: { target: RedisTarget; keyPrefix: string; allowInsecure: boolean; sender: Sender },
  message: LedgerMessage,
  timeoutMs: number,
): Promise<LedgerAnswer> {
  const { target, keyPrefix: prefix, allowInsecure, sender } = redis;
  await checkRedis(target, { allowInsecure });
  const client = await createLedgerClient({ target, log: silentLog, prefix, sender: () => sender });
  try {
    return await client.ask(message, timeoutMs);
  } finally {
    await bounded(client.close(), CLOSE_LIMIT_MS);
  }
}
