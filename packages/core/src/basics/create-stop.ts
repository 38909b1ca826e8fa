/**
 * Maximum delay of an echoed signal. Ctrl-C signals both npm and this process, and npm then forwards its
 * signal. A person takes longer than this to press Ctrl-C again.
 */
const ECHO_MS = 200;

type Ends = {
  /** A monotonic clock. */
  now: () => number;
  begin: (signal: string) => void;
  abort: (signal: string) => void;
};

/**
 * Creates a signal handler. The first signal starts a graceful shutdown, and the second aborts it. A signal
 * within `ECHO_MS` of the first is an echo and is ignored.
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
