import { createStop } from '@mergexo/core/basics';

/** The first signal requests a clean stop, the second an immediate stop. */
export type Signals = { first: Promise<string>; second: Promise<string>; forget(): void };

/** SIGHUP is included because closing a terminal sends it. */
const NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Interval between checks that the parent process is alive. */
const PARENT_PAUSE_MS = 500;

/**
 * Treats the loss of the parent process as the first signal. `npx` and `npm run` start us through a shell: SIGTERM ends
 * npm and that shell but never reaches this process.
 */
export function awaitSignals(): Signals {
  let begin = (_name: string): void => {};
  let end = (_name: string): void => {};
  const first = new Promise<string>((resolve) => {
    begin = resolve;
  });
  const second = new Promise<string>((resolve) => {
    end = resolve;
  });
  const onSignal = createStop({ now: () => performance.now(), begin, abort: end });
  for (const name of NAMES) process.on(name, onSignal);
  const parent = process.ppid;
  const watch = process.env['npm_command']
    ? setInterval(() => process.ppid !== parent && begin('the parent process ended'), PARENT_PAUSE_MS).unref()
    : undefined;
  return {
    first,
    second,
    forget: () => {
      clearInterval(watch);
      for (const name of NAMES) process.off(name, onSignal);
    },
  };
}
