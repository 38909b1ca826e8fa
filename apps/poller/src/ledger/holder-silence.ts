import type { Facts } from '@mergexo/core/ledger';

export type HolderSilence = {
  heard(turnKey: string): void;
  /** True if the step changed. */
  noteStep(turnKey: string, step: string): boolean;
  factsAbout(turnKey: string): Omit<Facts, 'now'>;
  forget(turnKey: string): void;
};

/**
 * When each holder of a turn was last heard of, on the monotonic clock and in memory only: after a restart
 * every holder gets the full silence period.
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
