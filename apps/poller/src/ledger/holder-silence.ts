import type { Facts } from '@mergexo/core/ledger';

export type HolderSilence = {
  heard(turnKey: string): void;
  /** Returns true if the step changed and MergeXO may record it. A later message reports a step over the limit again. */
  noteStep(turnKey: string, step: string): boolean;
  factsAbout(turnKey: string): Omit<Facts, 'now'>;
  forget(turnKey: string): void;
};

/** A worker changes the step of a turn a few times per minute. More changes would only fill the database. */
const MAX_STEPS = 20;
const STEPS_WINDOW_MS = 60_000;

/**
 * Tracks when each turn's worker last sent a message. Kept in memory, so after a restart every worker gets the full
 * silence period.
 */
export function createHolderSilence(clock: {
  monotonicNow(): number;
  hearingSince(): number;
}): HolderSilence {
  const lastHeardAt = new Map<string, number>();
  const steps = new Map<string, { step: string; since: number; changes: number }>();
  return {
    heard: (turnKey) => void lastHeardAt.set(turnKey, clock.monotonicNow()),
    noteStep(turnKey, step) {
      const now = clock.monotonicNow();
      const known = steps.get(turnKey) ?? { step: undefined, since: now, changes: 0 };
      if (known.step === step) return false;
      const recent = now - known.since < STEPS_WINDOW_MS ? known : { since: now, changes: 0 };
      if (recent.changes >= MAX_STEPS) return false;
      steps.set(turnKey, { step, since: recent.since, changes: recent.changes + 1 });
      return true;
    },
    forget(turnKey) {
      lastHeardAt.delete(turnKey);
      steps.delete(turnKey);
    },
    factsAbout(turnKey) {
      const since = clock.hearingSince();
      const last = lastHeardAt.get(turnKey) ?? Number.NEGATIVE_INFINITY;
      return { holderSilenceMs: clock.monotonicNow() - Math.max(last, since), hearingGap: last < since };
    },
  };
}
