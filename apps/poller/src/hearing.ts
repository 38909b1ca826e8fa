import type { Facts } from '@mergexo/core';

export type Hearing = {
  heard(turnKey: string): void;
  factsAbout(turnKey: string): Omit<Facts, 'now'>;
  forget(turnKey: string): void;
};

/** When each holder was last heard of, on the monotonic clock and in memory only: a restart begins with fair waiting. */
export function createHearing(clock: { monotonicNow(): number; hearingSince(): number }): Hearing {
  const lastWords = new Map<string, number>();
  return {
    heard: (turnKey) => void lastWords.set(turnKey, clock.monotonicNow()),
    forget: (turnKey) => void lastWords.delete(turnKey),
    factsAbout(turnKey) {
      const since = clock.hearingSince();
      const last = lastWords.get(turnKey) ?? Number.NEGATIVE_INFINITY;
      return { holderSilenceMs: clock.monotonicNow() - Math.max(last, since), hearingGap: last < since };
    },
  };
}
