import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { currentLife, runIn } from './lives.js';
import type { Timeline } from './timeline.js';

/** The time at which every simulated world begins. */
export const START = Date.parse('2025-01-15T12:00:00Z');

/** The wall clock of MergeXO's hosts. It can be set, unlike the time of the world. */
export type WallClock = { offsetMs: number };

let world: { timeline: Timeline; wall: WallClock } | undefined;

function need(): { timeline: Timeline; wall: WallClock } {
  if (world === undefined) throw new Error('no simulated world is running');
  return world;
}

type Repeat = { again: boolean };

/** Starts a timer of the current process. It never fires after the end of the process. */
function startTimer(run: (...args: unknown[]) => void, ms: unknown, { again }: Repeat, args: unknown[]) {
  const life = currentLife();
  const { timeline } = need();
  const pause = Math.max(1, Number(ms) || 0);
  let stop = (): void => {};
  const fire = (): void => {
    if (life !== undefined && !life.isAlive) return;
    if (again) stop = timeline.after(pause, fire);
    if (life === undefined) run(...args);
    else runIn(life, () => run(...args));
  };
  stop = timeline.after(pause, fire);
  const timer = { stop: () => stop(), unref: () => timer, ref: () => timer, hasRef: () => true };
  return timer;
}

function stopTimer(timer: unknown): void {
  if (typeof timer !== 'object' || timer === null || !('stop' in timer)) return;
  if (typeof timer.stop === 'function') timer.stop();
}

type Run = (...args: unknown[]) => void;

function sleep(ms: unknown, value: unknown, options: { signal?: AbortSignal } = {}): Promise<unknown> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      timer.stop();
      reject(signal?.reason);
    };
    const end = (): void => {
      signal?.removeEventListener('abort', stop);
      resolve(value);
    };
    const timer = startTimer(end, ms, { again: false }, []);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

const replacements: [object, string, unknown][] = [
  [
    globalThis,
    'setTimeout',
    (run: Run, ms: unknown, ...args: unknown[]) => startTimer(run, ms, { again: false }, args),
  ],
  [
    globalThis,
    'setInterval',
    (run: Run, ms: unknown, ...args: unknown[]) => startTimer(run, ms, { again: true }, args),
  ],
  [globalThis, 'clearTimeout', stopTimer],
  [globalThis, 'clearInterval', stopTimer],
  [timers, 'setTimeout', sleep],
  [Date, 'now', () => START + need().timeline.now() + need().wall.offsetMs],
  [performance, 'now', () => need().timeline.now()],
];
let isReplaced = false;

/** Makes every timer and clock of this process follow the world. Call this before each world. */
export function followClock(timeline: Timeline, wall: WallClock): void {
  world = { timeline, wall };
  if (isReplaced) return;
  isReplaced = true;
  for (const [target, name, value] of replacements)
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  // Modules that import `setTimeout` by name get the replacement too.
  syncBuiltinESMExports();
}
