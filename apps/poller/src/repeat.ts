export type Repeating = {
  /** Ends the current pause, or skips the next one if a round is running. */
  wake(): void;
  /** Stops the loop after the running round. */
  stop(): Promise<void>;
};

/** Runs rounds one at a time with a pause in between. An error in a round ends the loop. */
export function repeat(
  round: () => Promise<void>,
  { pauseMs, onError }: { pauseMs: number | (() => number); onError: (error: unknown) => void },
): Repeating {
  let stopped = false;
  let wakeUp = (): void => {};
  const run = async (): Promise<void> => {
    while (!stopped) {
      let woken = false;
      const pause = new Promise<void>((resolve) => {
        wakeUp = () => {
          woken = true;
          resolve();
        };
      });
      await round();
      const timer = setTimeout(wakeUp, typeof pauseMs === 'number' ? pauseMs : pauseMs());
      if (!woken && !stopped) await pause;
      clearTimeout(timer);
    }
  };
  const running = run().catch(onError);
  return {
    wake: () => wakeUp(),
    stop() {
      stopped = true;
      wakeUp();
      return running;
    },
  };
}
