import { setTimeout as delay } from 'node:timers/promises';

const LIMIT_MS = 10_000 * Number(process.env['MERGEXO_TEST_PATIENCE'] ?? 1);

/** Waits until a condition is true. Throws after ten seconds. */
export async function waitFor(
  check: () => boolean | Promise<boolean>,
  description = 'the condition',
): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`Timed out waiting for ${description}`);
    await delay(5);
  }
}
