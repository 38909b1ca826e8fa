import { setTimeout as delay } from 'node:timers/promises';

const LIMIT_MS = 10_000 * Number(process.env['MERGEXO_TEST_PATIENCE'] ?? 1);

/** Waits for a condition, and fails after ten seconds. */
export async function waitFor(isSo: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what} did not come about`);
    await delay(5);
  }
}
