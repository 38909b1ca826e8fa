import { createStop } from '@mergexo/core/basics';

/** The first signal asks for a clean end, the second for one at once. */
export type Signals = { first: Promise<string>; second: Promise<string>; forget(): void };

/** A terminal that is closed sends SIGHUP. */
const NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How often to look whether the parent process is still there. */
const PARENT_PAUSE_MS = 500;

/**
 * Below `npx` or `npm run` a shell stands between npm and us. SIGTERM ends npm and that shell, and never reaches us: a
 * parent that is gone counts as the first signal there.
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
