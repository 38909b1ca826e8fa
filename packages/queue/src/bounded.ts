import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for the work, but not for ever: without Redis its clients never finish saying goodbye. */
export async function bounded(work: Promise<unknown>, limitMs: number): Promise<void> {
  const limit = new AbortController();
  await Promise.race([
    work.catch(() => {}),
    sleep(limitMs, undefined, { signal: limit.signal }).catch(() => {}),
  ]);
  limit.abort();
}
