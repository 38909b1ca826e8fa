export type Repeating = {
  /** Runs the next round at once. */
  wake(): void;
  /** Waits for the running round. */
  stop(): Promise<void>;
};

/** Rounds one after the other, never two at a time, with a pause between them. What a round throws ends them. */
export function repeat(
  round: () => Promise<void>,
  { pauseMs, onError }: { pauseMs: number; onError: (error: unknown) => void },
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
      const timer = setTimeout(wakeUp, pauseMs);
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
