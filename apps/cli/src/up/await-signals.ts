/** The first signal asks for a clean end, the second for one at once. */
export type Signals = { first: Promise<string>; second: Promise<string>; forget(): void };

/** A terminal that is closed sends SIGHUP. */
const NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function awaitSignals(): Signals {
  const came: string[] = [];
  const waiting: ((name: string) => void)[] = [];
  const first = new Promise<string>((resolve) => waiting.push(resolve));
  const second = new Promise<string>((resolve) => waiting.push(resolve));
  const onSignal = (name: string): void => {
    waiting[came.length]?.(name);
    came.push(name);
  };
  for (const name of NAMES) process.on(name, onSignal);
  return {
    first,
    second,
    forget: () => {
      for (const name of NAMES) process.off(name, onSignal);
    },
  };
}
