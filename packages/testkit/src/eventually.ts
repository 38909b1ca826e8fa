import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the check passes. The limit is for what never comes, not a measure of speed. */
export async function eventually<T>(check: () => T | Promise<T>, limitMs = 30_000): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(25);
    }
  }
}
