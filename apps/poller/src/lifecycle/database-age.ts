import { isWithin } from '@mergexo/core/basics';
import type { State } from '@mergexo/state';
import type { Repo } from '../tools.js';

const DAY_MS = 24 * 3_600_000;

/** GitHub shows a post of ours that the database never sent. Inside a transaction. */
export function noteOutdated({ state, now }: { state: State; now: () => number }, repoId: number): void {
  state.saveRepoWatch(repoId, { rebuiltAt: now() });
  state.recordTask({ repoId, kind: 'catch_up', number: 0 }, now());
}

/** Turns may then open a second time, under the key that their posts already carry. */
export function wasOutdated({ state, now }: { state: State; now: () => number }, repoId: number): boolean {
  const rebuiltAt = readRebuiltAt(state, repoId);
  return rebuiltAt !== null && now() - rebuiltAt < DAY_MS;
}

/** After the records were read back from GitHub, nothing new begins before lists that lag have caught up. */
export function isSettlingIn(
  { state, now, windowMs }: { state: State; now: () => number; windowMs: number },
  repo: Repo,
): boolean {
  // Before the first look is complete, what was done is not known.
  if (state.readFeed(repo.id, 'issues') === undefined) return true;
  const rebuiltAt = readRebuiltAt(state, repo.id);
  return rebuiltAt !== null && isWithin(windowMs, rebuiltAt, now());
}

/** When the records were last found to be older than GitHub; null if they never were. */
export function readRebuiltAt(state: Pick<State, 'readRepoWatch'>, repoId: number): number | null {
  return state.readRepoWatch(repoId)?.rebuiltAt ?? null;
}
