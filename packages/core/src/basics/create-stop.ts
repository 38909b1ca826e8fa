/**
 * Maximum delay of an echoed signal: npm forwards the signal that the terminal already sent to both processes. A person
 * needs longer than this for a second Ctrl-C.
 */
const ECHO_MS = 200;

type Ends = {
  /** A monotonic clock. */
  now: () => number;
  begin: (signal: string) => void;
  abort: (signal: string) => void;
};

/**
 * Creates a signal handler. The first signal starts a graceful shutdown, and the second aborts. A signal within
 * `ECHO_MS` is an echo.
 */
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
