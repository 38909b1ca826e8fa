import { isWithin } from '@mergexo/core/basics';
import type { RateLimit } from '@mergexo/github';
import type { State } from '@mergexo/state';

/** Minimum time between writes, because each write syncs the disk. */
const PAUSE_MS = 10_000;

export type RateNotes = {
  /** Call this with every response. Keeps the limit in memory. */
  hear(limit: RateLimit): void;
  /** Call this once per cycle. Saves a changed limit for the dashboard, at most once per `PAUSE_MS`. */
  keep(login: string): void;
};

export function createRateNotes({
  state,
  now,
}: {
  state: Pick<State, 'saveRateLimit'>;
  now: () => number;
}): RateNotes {
  let heard: RateLimit | undefined;
  let kept: RateLimit | undefined;
  let keptLogin = '';
  let keptAt = Number.NEGATIVE_INFINITY;
  return {
    hear(limit) {
      heard = limit;
    },
    keep(login) {
      if (heard === undefined || isWithin(PAUSE_MS, keptAt, now())) return;
      if (login === keptLogin && isEqual(heard, kept)) return;
      state.saveRateLimit({ login, ...heard }, now());
      kept = heard;
      keptLogin = login;
      keptAt = now();
    },
  };
}

function isEqual(one: RateLimit, other: RateLimit | undefined): boolean {
  return one.limit === other?.limit && one.left === other.left && one.resetsAt === other.resetsAt;
}
