/** Minimum time between two polls of one repository that deliveries cause. */
const MIN_GAP_MS = 1_000;
/** GitHub may announce a change before its lists contain it. Pauses before the repeated polls. */
const REPEATS_MS = [1_000, 3_000, 10_000];

export type Nudges = {
  /** Call this for each delivery. It makes the repository due, at most once a second. */
  note(repoId: number): void;
  /** Returns the repositories to poll now. Each of them needs a call of `settle` after its poll. */
  take(): ReadonlySet<number>;
  /** Call this after a poll. If the poll found nothing new, the repository becomes due again, up to three times. */
  settle(repoId: number, foundNews: boolean): void;
  /** Milliseconds until a repository is due. */
  dueInMs(): number;
};

type Nudge = { dueAt: number | undefined; polledAt: number; repeats: number };

/** Turns any number of deliveries into a small number of polls. Forged or repeated deliveries therefore cost little. */
export function createNudges(monotonicNow: () => number): Nudges {
  const nudges = new Map<number, Nudge>();
  const isDue = ({ dueAt }: Nudge): boolean => dueAt !== undefined && dueAt <= monotonicNow();
  return {
    note(repoId) {
      const nudge = nudges.get(repoId) ?? {
        dueAt: undefined,
        polledAt: Number.NEGATIVE_INFINITY,
        repeats: 0,
      };
      const soonest = Math.max(monotonicNow(), nudge.polledAt + MIN_GAP_MS);
      nudges.set(repoId, {
        ...nudge,
        dueAt: Math.min(nudge.dueAt ?? Number.POSITIVE_INFINITY, soonest),
        repeats: 0,
      });
    },
    take() {
      const due = [...nudges].filter(([, nudge]) => isDue(nudge));
      for (const [repoId, nudge] of due)
        nudges.set(repoId, { ...nudge, dueAt: undefined, polledAt: monotonicNow() });
      return new Set(due.map(([repoId]) => repoId));
    },
    settle(repoId, foundNews) {
      const nudge = nudges.get(repoId);
      // A delivery that arrived during the poll has already made the repository due again.
      if (nudge === undefined || nudge.dueAt !== undefined) return;
      const pause = foundNews ? undefined : REPEATS_MS[nudge.repeats];
      if (pause === undefined) return;
      nudges.set(repoId, { ...nudge, dueAt: monotonicNow() + pause, repeats: nudge.repeats + 1 });
    },
    dueInMs() {
      const times = [...nudges.values()].flatMap(({ dueAt }) => (dueAt === undefined ? [] : [dueAt]));
      return Math.max(0, Math.min(...times) - monotonicNow());
    },
  };
}
