import { createRhythm } from './rhythm.js';

function aRhythm({ pauseMs = 30_000, repos = 1 }: { pauseMs?: number; repos?: number } = {}) {
  let time = 0;
  const rhythm = createRhythm({ pauseMs, repos, monotonicNow: () => time });
  const pass = (ms: number): void => {
    time += ms;
  };
  /** True if a check is due, and completes it. */
  const check = (repoId: number): boolean => {
    const done = rhythm.startCheck(repoId);
    done?.();
    return done !== undefined;
  };
  return { ...rhythm, pass, check };
}

describe('createRhythm', () => {
  it('polls fast after the start and after activity, and slowly when nothing changes', () => {
    const { pauseMs, noteActivity, pass } = aRhythm();
    expect(pauseMs()).toBe(5_000);
    pass(120_000);
    expect(pauseMs()).toBe(30_000);
    noteActivity();
    expect(pauseMs()).toBe(5_000);
  });

  describe('with a webhook', () => {
    it('polls less often while deliveries arrive, and as usual ten minutes after the last one', () => {
      const { pauseMs, noteDelivery, noteActivity, isDelivering, pass } = aRhythm();
      expect([pauseMs(), isDelivering()]).toEqual([5_000, false]);
      noteDelivery();
      noteActivity();
      expect([pauseMs(), isDelivering()]).toEqual([120_000, true]);
      pass(599_999);
      expect(pauseMs()).toBe(120_000);
      pass(1);
      expect([pauseMs(), isDelivering()]).toEqual([30_000, false]);
    });

    it('polls as usual if GitHub does not announce a post within 30 seconds', () => {
      const { pauseMs, noteDelivery, noteWritten, isDelivering, pass } = aRhythm();
      noteDelivery();
      pass(1_000);
      noteWritten();
      pass(30_000);
      expect(isDelivering()).toBe(true);
      pass(1);
      expect([isDelivering(), pauseMs()]).toEqual([false, 5_000]);
      noteDelivery();
      expect(isDelivering()).toBe(true);
    });

    it('never polls faster than configured, and pauses at most two minutes', () => {
      const slow = aRhythm({ pauseMs: 300_000 });
      slow.noteDelivery();
      expect(slow.pauseMs()).toBe(300_000);
      const fast = aRhythm({ pauseMs: 1_000 });
      fast.noteDelivery();
      expect(fast.pauseMs()).toBe(4_000);
    });
  });

  it('never polls more slowly than configured without a webhook', () => {
    const { pauseMs, pass } = aRhythm({ pauseMs: 1_000 });
    expect(pauseMs()).toBe(1_000);
    pass(3_600_000);
    expect(pauseMs()).toBe(1_000);
  });

  it('stays within the limit of requests per minute even with many repositories', () => {
    expect(aRhythm({ repos: 10 }).pauseMs()).toBe(15_000);
    expect(aRhythm({ repos: 100 }).pauseMs()).toBe(30_000);
  });

  it('checks again after a failed request, but does not poll faster', () => {
    const { check: mustCheck, noteFailure, pauseMs, pass } = aRhythm();
    pass(120_000);
    expect([mustCheck(1), mustCheck(1)]).toEqual([true, false]);
    noteFailure();
    expect([mustCheck(1), pauseMs()]).toEqual([true, 30_000]);
  });

  it('repeats a check that was not completed', () => {
    const { startCheck } = aRhythm();
    expect([startCheck(1) === undefined, startCheck(1) === undefined]).toEqual([false, false]);
    startCheck(1)?.();
    expect(startCheck(1)).toBeUndefined();
  });

  it('polls slowly while few requests are left', () => {
    const { pauseMs, noteRateLeft } = aRhythm();
    noteRateLeft(1_499);
    expect(pauseMs()).toBe(30_000);
    noteRateLeft(5_000);
    expect(pauseMs()).toBe(5_000);
  });

  it('asks for a check after each change, and otherwise once a minute', () => {
    const { check: mustCheck, noteActivity, pass } = aRhythm();
    expect([mustCheck(1), mustCheck(1)]).toEqual([true, false]);
    noteActivity();
    expect([mustCheck(1), mustCheck(1), mustCheck(2)]).toEqual([true, false, true]);
    pass(59_999);
    expect(mustCheck(1)).toBe(false);
    pass(1);
    expect([mustCheck(1), mustCheck(1)]).toEqual([true, false]);
  });
});
