import { setImmediate as letOthersRun } from 'node:timers/promises';

const SLICE_MS = 10;

/** Visits all items, and lets this program do other work after every 10 ms. */
export async function inSlices<Item>(items: Iterable<Item>, visit: (item: Item) => void): Promise<void> {
  let startedMs = performance.now();
  for (const item of items) {
    visit(item);
    if (performance.now() - startedMs < SLICE_MS) continue;
    await letOthersRun();
    startedMs = performance.now();
  }
}
