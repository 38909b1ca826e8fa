import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the work ends or fails, but no longer than the limit. Ignores errors from the work. */
export async function bounded(work: Promise<unknown>, limitMs: number): Promise<void> {
  const limit = new AbortController();
  await Promise.race([
    work.catch(() => {}),
    sleep(limitMs, undefined, { signal: limit.signal }).catch(() => {}),
  ]);
  limit.abort();
}
