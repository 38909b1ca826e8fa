import type { Facts } from '@mergexo/core';

export type Hearing = {
  heard(turnKey: string): void;
  /** True when the holder does something else than before. */
  noteStep(turnKey: string, step: string): boolean;
  factsAbout(turnKey: string): Omit<Facts, 'now'>;
  forget(turnKey: string): void;
};

/** When each holder was last heard of, on the monotonic clock and in memory only: a restart begins with fair waiting. */
export function createHearing(clock: { monotonicNow(): number; hearingSince(): number }): Hearing {
  const lastWords = new Map<string, number>();
  const steps = new Map<string, string>();
  return {
    heard: (turnKey) => void lastWords.set(turnKey, clock.monotonicNow()),
    noteStep(turnKey, step) {
      const changed = steps.get(turnKey) !== step;
      steps.set(turnKey, step);
      return changed;
    },
    forget(turnKey) {
      lastWords.delete(turnKey);
      steps.delete(turnKey);
    },
    factsAbout(turnKey) {
      const since = clock.hearingSince();
      const last = lastWords.get(turnKey) ?? Number.NEGATIVE_INFINITY;
      return { holderSilenceMs: clock.monotonicNow() - Math.max(last, since), hearingGap: last < since };
    },
  };
}
