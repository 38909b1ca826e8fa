import { setTimeout as delay } from 'node:timers/promises';

/** Waits until something is so; fails after five seconds. */
export async function waitFor(isSo: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const end = performance.now() + 5_000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what} did not come about`);
    await delay(5);
  }
}
