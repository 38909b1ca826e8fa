import { setTimeout as sleep } from 'node:timers/promises';

/** An error for a check to throw. If `hopeless` is true, `eventually` stops waiting at once. */
export class GiveUpWhen extends Error {
  constructor(
    readonly hopeless: boolean,
    message: string,
  ) {
    super(message);
  }
}

/** Multiplies a deadline by `MERGEXO_TEST_PATIENCE`, for busy machines. */
export function patiently(limitMs: number): number {
  return limitMs * Number(process.env['MERGEXO_TEST_PATIENCE'] ?? 1);
}

/** Waits until the check passes. The deadline detects a condition that never becomes true, not a slow machine. */
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
