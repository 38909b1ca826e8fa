import { setTimeout as sleep } from 'node:timers/promises';

/** Thrown by a check that knows that waiting is hopeless. */
export class GiveUpWhen extends Error {
  constructor(
    readonly hopeless: boolean,
    message: string,
  ) {
    super(message);
  }
}

/** `MERGEXO_TEST_PATIENCE` stretches every limit that is for what never comes: a busy machine needs more of it. */
export function patiently(limitMs: number): number {
  return limitMs * Number(process.env['MERGEXO_TEST_PATIENCE'] ?? 1);
}

/** Waits until the check passes. The limit is for what never comes, not a measure of speed. */
export async function eventually<T>(check: () => T | Promise<T>, limitMs = 30_000): Promise<T> {
  const deadline = performance.now() + patiently(limitMs);
  for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, 150)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline || (error instanceof GiveUpWhen && error.hopeless)) throw error;
      await sleep(pauseMs);
    }
  }
}
