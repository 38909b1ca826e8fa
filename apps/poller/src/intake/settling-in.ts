import type { State } from '@mergexo/state';
import type { Repo } from '../repo.js';

export const REBUILT = 'rebuilt';

/** After the records were read back from GitHub, nothing new begins before lists that lag have caught up. */
export function isSettlingIn(
  { state, now, windowMs }: { state: State; now: () => number; windowMs: number },
  repo: Repo,
): boolean {
  // Before the first look is complete, what was done is not known.
  if (state.readCursor(repo.id, 'issues') === undefined) return true;
  const { cursor } = state.readCursor(repo.id, REBUILT) ?? { cursor: null };
  return cursor !== null && now() - Number(cursor) < windowMs;
}
