import { isLoopbackUrl } from '@mergexo/config';

const HOUR = 3_600_000;
/** GitHub refuses more than about 500 writes per hour, and people may use the same login. */
const WRITES_PER_HOUR = 400;
/** The part of the budget that signs may use. The rest is for posts that people wait for. */
const SIGN_SHARE = 0.5;

/** Counts the writes of the last hour. Posts come first: signs need room in the budget and a moment without posts. */
export type WriteBudget = {
  /** True if even posts must wait. */
  isSpent(): boolean;
  /** True if a sign may be sent now. */
  hasRoomForSign(): boolean;
  /** Time since the last write. */
  quietMs(): number;
  noteWrite(): void;
  /** Call this with true before the outbox sends posts, and with false once no post is ready. */
  notePosting(isPosting: boolean): void;
};

/** Returns the maximum number of writes per hour. A local GitHub has no limit. */
export const limitWrites = (apiUrl: string) => (): number =>
  isLoopbackUrl(apiUrl) ? Number.POSITIVE_INFINITY : WRITES_PER_HOUR;

export function createWriteBudget(tools: {
  writesPerHour: () => number;
  monotonicNow: () => number;
}): WriteBudget {
  const { writesPerHour, monotonicNow } = tools;
  let recent: number[] = [];
  let isPosting = false;
  const countRecent = (): number => {
    recent = recent.filter((time) => time > monotonicNow() - HOUR);
    return recent.length;
  };
  return {
    isSpent: () => countRecent() >= writesPerHour(),
    hasRoomForSign: () => !isPosting && countRecent() < SIGN_SHARE * writesPerHour(),
    quietMs: () => monotonicNow() - (recent.at(-1) ?? Number.NEGATIVE_INFINITY),
    noteWrite: () => void recent.push(monotonicNow()),
    notePosting(now) {
      isPosting = now;
    },
  };
}
