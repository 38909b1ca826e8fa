import { isWithin } from '@mergexo/core';
import type { State } from '@mergexo/state';
import type { Repo } from '../tools.js';

/** When the records were last found to be older than GitHub: lost, or restored from a copy. */
export const REBUILT = 'rebuilt';
/** Set while pull requests of ours may be open that the database does not know. */
export const CATCH_UP = 'catch_up';
const DAY_MS = 24 * 3_600_000;

/** GitHub shows a post of ours that the database never sent. Inside a transaction. */
export function noteOutdated({ state, now }: { state: State; now: () => number }, repoId: number): void {
  state.saveCursor(repoId, REBUILT, { cursor: String(now()), etag: null }, now());
  state.saveCursor(repoId, CATCH_UP, { cursor: null, etag: null }, now());
}

/** Turns may then open a second time, under the key that their posts already carry. */
export function wasOutdated({ state, now }: { state: State; now: () => number }, repoId: number): boolean {
  const { cursor } = state.readCursor(repoId, REBUILT) ?? { cursor: null };
  return cursor !== null && now() - Number(cursor) < DAY_MS;
}

/** After the records were read back from GitHub, nothing new begins before lists that lag have caught up. */
export function isSettlingIn(
  { state, now, windowMs }: { state: State; now: () => number; windowMs: number },
  repo: Repo,
): boolean {
  // Before the first look is complete, what was done is not known.
  if (state.readCursor(repo.id, 'issues') === undefined) return true;
  const { cursor } = state.readCursor(repo.id, REBUILT) ?? { cursor: null };
  return cursor !== null && isWithin(windowMs, Number(cursor), now());
}
