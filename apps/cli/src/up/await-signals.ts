import { createStop } from '@mergexo/core/basics';

/** The first signal requests a clean stop, the second an immediate stop. */
export type Signals = { first: Promise<string>; second: Promise<string>; stopListening(): void };

/** Signals that stop `up`. SIGHUP is included, because closing a terminal sends it. */
const NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Interval between checks that the parent process is alive. */
const PARENT_CHECK_MS = 500;

/**
 * Waits for signals, and treats the exit of the parent process as the first signal. `npx` and `npm run` start `up`
 * through a shell: SIGTERM ends npm and that shell but never reaches this process.
 */
export function awaitSignals(): Signals {
  let requestStop = (_name: string): void => {};
  let requestKill = (_name: string): void => {};
  const first = new Promise<string>((resolve) => {
    requestStop = resolve;
  });
  const second = new Promise<string>((resolve) => {
    requestKill = resolve;
  });
  const onSignal = createStop({ now: () => performance.now(), begin: requestStop, abort: requestKill });
  for (const name of NAMES) process.on(name, onSignal);
  const parent = process.ppid;
  const parentCheck = process.env['npm_command']
    ? setInterval(
        () => process.ppid !== parent && requestStop('the parent process ended'),
        PARENT_CHECK_MS,
      ).unref()
    : undefined;
  return {
    first,
    second,
    stopListening: () => {
      clearInterval(parentCheck);
      for (const name of NAMES) process.off(name, onSignal);
    },
  };
}
