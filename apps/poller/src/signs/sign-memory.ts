import type { State } from '@mergexo/state';

/** Time between two checks of all signs. The status comments show elapsed time, which changes without any event. */
const CHECK_ALL_MS = 60_000;

/** State that signs keep in memory between rounds. Losing it is safe, because every wait starts again. */
export type SignMemory = ReturnType<typeof createSignMemory>;

export function createSignMemory({ monotonicNow }: { monotonicNow: () => number }) {
  const startedAt = monotonicNow();
  /** Time at which the last request for each new status comment ended. */
  const requestEnded = new Map<string, number>();
  /** The text that each outdated status comment should get, since when, and since when the comment is outdated. */
  const outdated = new Map<string, { digest: string; since: number; outdatedSince: number }>();
  const pausedUntil = new Map<number, number>();
  const pauseReasons = new Map<number, string>();
  let checkedEvent = -1;
  let dueAt = Number.NEGATIVE_INFINITY;
  return {
    /** True if MergeXO has decided something since the last call, or if a wait is over. */
    isDue(state: Pick<State, 'readLastEventId' | 'hasDecisionAfter'>): boolean {
      const isNews = state.hasDecisionAfter(checkedEvent);
      checkedEvent = state.readLastEventId();
      return isNews || monotonicNow() >= dueAt;
    },

    /** Call this at the start of a round. */
    startRound(): void {
      dueAt = monotonicNow() + CHECK_ALL_MS;
    },

    /** Makes the next round due after the wait at the latest. */
    wakeAfter(ms: number): void {
      dueAt = Math.min(dueAt, monotonicNow() + ms);
    },

    noteRequest: (key: string): void => void requestEnded.set(key, monotonicNow()),

    /** Returns when the wait for a post without a response started. After a restart, the wait starts again. */
    quietSince: (key: string): number => requestEnded.get(key) ?? startedAt,

    /** Returns how long the comment should have had this text, and for how long its text has been outdated. */
    noteOutdated(key: string, digest: string): { stableMs: number; outdatedMs: number } {
      const time = monotonicNow();
      const known = outdated.get(key);
      const since = known?.digest === digest ? known.since : time;
      const outdatedSince = known?.outdatedSince ?? time;
      outdated.set(key, { digest, since, outdatedSince });
      return { stableMs: time - since, outdatedMs: time - outdatedSince };
    },

    noteUpToDate: (key: string): void => void outdated.delete(key),

    isPaused: (repoId: number): boolean => (pausedUntil.get(repoId) ?? 0) > monotonicNow(),

    /** Pauses the signs of a repository. Returns true if the reason is new. */
    pause(repoId: number, { ms, reason }: { ms: number; reason: string }): boolean {
      pausedUntil.set(repoId, monotonicNow() + ms);
      const isNew = pauseReasons.get(repoId) !== reason;
      pauseReasons.set(repoId, reason);
      return isNew;
    },
  };
}
