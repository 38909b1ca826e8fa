import type { Facts } from '@mergexo/core/ledger';

export type HolderSilence = {
  heard(turnKey: string): void;
  /** Returns true if the step changed. */
  noteStep(turnKey: string, step: string): boolean;
  factsAbout(turnKey: string): Omit<Facts, 'now'>;
  forget(turnKey: string): void;
};

/**
 * Tracks when each turn's worker last sent a message. Kept in memory, so after a restart every worker gets the full
 * silence period.
 */
export function createHolderSilence(clock: {
  monotonicNow(): number;
  hearingSince(): number;
}): HolderSilence {
  const lastHeardAt = new Map<string, number>();
  const steps = new Map<string, string>();
  return {
    heard: (turnKey) => void lastHeardAt.set(turnKey, clock.monotonicNow()),
    noteStep(turnKey, step) {
      const changed = steps.get(turnKey) !== step;
      steps.set(turnKey, step);
      return changed;
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
