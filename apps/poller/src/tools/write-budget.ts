import { isLoopbackUrl } from '@mergexo/config';
import { WRITES_PER_HOUR } from '@mergexo/core/outbox';
import type { State } from '@mergexo/state';

const HOUR = 3_600_000;
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

/** Records every write, so that a restart does not grant the budget of another hour. */
export function createWriteBudget(tools: {
  state: Pick<State, 'listGitHubWrites' | 'recordGitHubWrite'>;
  writesPerHour: () => number;
  now: () => number;
  monotonicNow: () => number;
}): WriteBudget {
  const { state, writesPerHour, now, monotonicNow } = tools;
  // A write in the future was sent before the clock was set back.
  const ageOf = (sentAt: number): number => Math.max(0, now() - sentAt);
  let recent = state.listGitHubWrites(now() - HOUR).map((sentAt) => monotonicNow() - ageOf(sentAt));
  let isPosting = false;
  const countRecent = (): number => {
    recent = recent.filter((time) => time > monotonicNow() - HOUR);
    return recent.length;
  };
  return {
    isSpent: () => countRecent() >= writesPerHour(),
    hasRoomForSign: () => !isPosting && countRecent() < SIGN_SHARE * writesPerHour(),
    quietMs: () => monotonicNow() - (recent.at(-1) ?? Number.NEGATIVE_INFINITY),
    noteWrite() {
      recent.push(monotonicNow());
      state.recordGitHubWrite(now(), { before: now() - HOUR });
    },
    notePosting(started) {
      isPosting = started;
    },
  };
}
