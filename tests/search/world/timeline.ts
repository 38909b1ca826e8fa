import { setImmediate as nextTurn } from 'node:timers/promises';

type Event = { at: number; serial: number; run: () => void };

export type Timeline = ReturnType<typeof createTimeline>;

/** Taken before the clock is replaced, because it must keep working afterwards. */
const settle = nextTurn;

/** The order of everything that happens in a simulated world. Time passes only here. */
export function createTimeline() {
  const events: Event[] = [];
  let now = 0;
  let serials = 0;
  let steps = 0;

  const at = (ms: number, run: () => void): (() => void) => {
    serials += 1;
    const event = { at: Math.max(now, ms), serial: serials, run };
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = events[middle];
      if (other !== undefined && other.at <= event.at) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, event);
    return () => {
      const index = events.indexOf(event);
      if (index >= 0) events.splice(index, 1);
    };
  };
  return {
    now: (): number => now,
    at,
    after: (ms: number, run: () => void): (() => void) => at(now + ms, run),
    wait: (ms: number): Promise<void> => new Promise((resolve) => void at(now + ms, resolve)),
    /** Number of events so far. */
    steps: (): number => steps,
    /** Runs all events up to this time. Each event's promises settle before the next event. */
    async runUntil(deadline: number): Promise<void> {
      for (;;) {
        const event = events[0];
        if (event === undefined || event.at > deadline) break;
        events.shift();
        now = event.at;
        steps += 1;
        event.run();
        await settle();
      }
      now = Math.max(now, deadline);
      await settle();
    },
    clear: (): void => void events.splice(0),
  };
}
