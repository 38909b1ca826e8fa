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

/** Long searches on a busy machine ask for more of it. */
const PATIENCE = Number(process.env['MERGEXO_TEST_PATIENCE'] ?? 1);

/** Waits until the check passes. The limit is for what never comes, not a measure of speed. */
export async function eventually<T>(check: () => T | Promise<T>, limitMs = 30_000): Promise<T> {
  const deadline = performance.now() + limitMs * PATIENCE;
  for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, 150)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline || (error instanceof GiveUpWhen && error.hopeless)) throw error;
      await sleep(pauseMs);
    }
  }
}
