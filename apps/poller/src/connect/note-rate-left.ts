import { isWithin, RATE_LEFT_FEED, type RateLeft } from '@mergexo/core';
import type { RateLimit } from '@mergexo/github';
import type { State } from '@mergexo/state';

/** Idle cycles leave the limit as it is, and a write for nothing costs a sync to disk. */
const PAUSE_MS = 10_000;

export type RateNotes = {
  /** With every answer: only remembered. */
  hear(limit: RateLimit): void;
  /** Once a cycle: written where the dashboard finds it, if there is news. */
  keep(repoId: number, login: string): void;
};

export function createRateNotes({
  state,
  now,
}: {
  state: Pick<State, 'saveCursor'>;
  now: () => number;
}): RateNotes {
  let heard: RateLimit | undefined;
  let kept = '';
  let keptAt = Number.NEGATIVE_INFINITY;
  return {
    hear(limit) {
      heard = limit;
    },
    keep(repoId, login) {
      if (heard === undefined || isWithin(PAUSE_MS, keptAt, now())) return;
      const rate: RateLeft = { login, ...heard };
      const cursor = JSON.stringify(rate);
      if (cursor === kept) return;
      state.saveCursor(repoId, RATE_LEFT_FEED, { cursor, etag: null }, now());
      kept = cursor;
      keptAt = now();
    },
  };
}
