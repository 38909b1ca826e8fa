/** Time between two cycles after activity, unless the configured interval is shorter. */
const FAST_MS = 5_000;
/** Minimum fast interval per configured repository, because GitHub limits the requests per minute. */
const FAST_MS_PER_REPO = 1_500;
/**
 * If fewer requests than this are left in the hour, the poller stays slow, because posts and turns need requests too.
 */
const LOW_RATE = 1_500;
/** How long the poller stays fast after the last activity. */
const ACTIVE_MS = 120_000;
/** How long a delivery proves that the webhook works. */
const DELIVERING_MS = 600_000;
/** GitHub announces MergeXO's own posts too. If it does not within this time, the webhook does not work. */
const ECHO_MS = 30_000;
/** While deliveries arrive, the poller pauses longer, up to the maximum. */
const DELIVERING_FACTOR = 4;
const MAX_DELIVERING_PAUSE_MS = 120_000;
/** Maximum time between two checks of all records, because some steps become due by time alone. */
const CHECK_ALL_MS = 60_000;

export type Rhythm = {
  /** Call this after every change on GitHub or in the records. */
  noteActivity(): void;
  /** Call this after every failed request, so that the next cycle repeats the check that failed. */
  noteFailure(): void;
  /** Call this after each of MergeXO's own posts. */
  noteWritten(): void;
  /** Call this for each delivery of a webhook. */
  noteDelivery(): void;
  /** True while the webhook works: the poller then pauses longer, because deliveries announce changes. */
  isDelivering(): boolean;
  /** Call this with the number of requests that GitHub still allows in this hour. */
  noteRateLeft(left: number): void;
  /** The pause until the next cycle: short after activity, and longer than configured only while a webhook works. */
  pauseMs(): number;
  /**
   * Returns a function if a check of this repository is due: after a change, or after a minute. Call it once
   * the check is complete; otherwise the next cycle checks again. The id 0 means all repositories.
   */
  startCheck(repoId: number): (() => void) | undefined;
};

export function createRhythm({
  pauseMs,
  repos,
  monotonicNow,
}: {
  pauseMs: number;
  repos: number;
  monotonicNow: () => number;
}): Rhythm {
  const fastMs = Math.min(pauseMs, Math.max(FAST_MS, FAST_MS_PER_REPO * repos));
  let activeAt = monotonicNow();
  let rateLeft = Number.POSITIVE_INFINITY;
  let changes = 0;
  let deliveredAt = Number.NEGATIVE_INFINITY;
  let writtenAt = Number.NEGATIVE_INFINITY;
  const isDelivering = (): boolean => {
    const isEchoMissing = writtenAt > deliveredAt && monotonicNow() - writtenAt > ECHO_MS;
    return monotonicNow() - deliveredAt < DELIVERING_MS && !isEchoMissing;
  };
  const slowMs = Math.max(pauseMs, Math.min(pauseMs * DELIVERING_FACTOR, MAX_DELIVERING_PAUSE_MS));
  const checks = new Map<number, { changes: number; at: number }>();
  return {
    noteActivity() {
      activeAt = monotonicNow();
      changes += 1;
    },
    noteFailure() {
      changes += 1;
    },
    noteRateLeft(left) {
      rateLeft = left;
    },
    noteWritten() {
      writtenAt = monotonicNow();
    },
    noteDelivery() {
      deliveredAt = monotonicNow();
    },
    isDelivering,
    pauseMs() {
      if (isDelivering()) return slowMs;
      return monotonicNow() - activeAt < ACTIVE_MS && rateLeft >= LOW_RATE ? fastMs : pauseMs;
    },
    startCheck(repoId) {
      const last = checks.get(repoId);
      if (last?.changes === changes && monotonicNow() - last.at < CHECK_ALL_MS) return undefined;
      const check = { changes, at: monotonicNow() };
      return () => void checks.set(repoId, check);
    },
  };
}

/** Connects the rhythm to the GitHub client. `wake` starts a poll right after MergeXO's own post. */
export function toHooks(
  { noteActivity, noteFailure, noteRateLeft, noteWritten }: Rhythm,
  { hear, wake }: { hear: (path: string) => void; wake: () => void },
) {
  return {
    onNews: (path: string) => {
      noteActivity();
      hear(path);
    },
    onWritten: () => {
      noteWritten();
      wake();
    },
    onFailure: noteFailure,
    onRateLeft: noteRateLeft,
  };
}
