import { setImmediate as nextTick } from 'node:timers/promises';
import { inParallel, startEarly } from './in-parallel.js';

/** Work that ends only when the test says so. */
function createWork() {
  const running = new Map<number, { end: () => void; fail: (error: Error) => void }>();
  const started: number[] = [];
  return {
    started,
    running: () => [...running.keys()],
    work: async (item: number): Promise<void> => {
      started.push(item);
      await new Promise<void>((end, fail) => running.set(item, { end, fail }));
      running.delete(item);
    },
    async end(item: number, error?: Error): Promise<void> {
      const { end, fail } = running.get(item) ?? {};
      if (error === undefined) end?.();
      else fail?.(error);
      await nextTick();
    },
  };
}

describe('inParallel', () => {
  it('runs four items at the same time, and the next one as soon as one ends', async () => {
    const { work, running, end } = createWork();
    const done = inParallel([1, 2, 3, 4, 5, 6], work);
    expect(running()).toEqual([1, 2, 3, 4]);
    await end(3);
    expect(running()).toEqual([1, 2, 4, 5]);
    for (const item of [1, 2, 4, 5, 6]) await end(item);
    await done;
  });

  it('starts nothing after an error, and throws the error once the running work has ended', async () => {
    const { work, started, end } = createWork();
    let outcome = 'running';
    const done = inParallel([1, 2, 3, 4, 5, 6], work).catch((error: Error) => {
      outcome = error.message;
    });
    await end(1, new Error('broken'));
    await end(2);
    await end(3);
    expect([outcome, started]).toEqual(['running', [1, 2, 3, 4]]);
    await end(4);
    await done;
    expect(outcome).toBe('broken');
  });
});

describe('startEarly', () => {
  it('starts immediately, and throws an error only where the result is awaited', async () => {
    let started = false;
    const result = startEarly(async () => {
      started = true;
      throw new Error('broken');
    });
    expect(started).toBe(true);
    // An unhandled rejection would fail the test here.
    await nextTick();
    await nextTick();
    await expect(result).rejects.toThrow('broken');
  });
});
