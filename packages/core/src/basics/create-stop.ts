/** npm passes on to its script what the terminal sent to both; a person's second Ctrl-C takes longer. */
const ECHO_MS = 200;

type Ends = {
  /** Monotonic. */
  now: () => number;
  begin: (signal: string) => void;
  abort: (signal: string) => void;
};

/** The first signal begins an orderly end, a second one ends abruptly. One right behind the first is its echo. */
export function createStop({ now, begin, abort }: Ends): (signal: string) => void {
  let begunAt: number | undefined;
  return (signal) => {
    if (begunAt === undefined) {
      begunAt = now();
      begin(signal);
      return;
    }
    if (now() - begunAt > ECHO_MS) abort(signal);
  };
}
