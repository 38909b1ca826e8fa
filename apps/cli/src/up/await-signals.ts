import { createStop } from '@mergexo/core';

/** The first signal asks for a clean end, the second for one at once. */
export type Signals = { first: Promise<string>; second: Promise<string>; forget(): void };

/** A terminal that is closed sends SIGHUP. */
const NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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
  return {
    first,
    second,
    forget: () => {
      for (const name of NAMES) process.off(name, onSignal);
    },
  };
}
