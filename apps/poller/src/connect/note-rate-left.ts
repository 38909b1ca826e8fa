import { isWithin } from '@mergexo/core/basics';
import type { RateLimit } from '@mergexo/github';
import type { State } from '@mergexo/state';

/** Idle cycles leave the limit as it is, and a write for nothing costs a sync to disk. */
const PAUSE_MS = 10_000;

export type RateNotes = {
  /** With every answer: only remembered. */
  hear(limit: RateLimit): void;
  /** Once a cycle: written where the dashboard finds it, if there is news. */
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
