import { isWithin } from '@mergexo/core/basics';
import type { State } from '@mergexo/state';
import type { Repo } from '../tools.js';

const DAY_MS = 24 * 3_600_000;

/** Records that the database is outdated, because it lacks one of MergeXO's posts. Requires a transaction. */
export function noteOutdated({ state, now }: { state: State; now: () => number }, repoId: number): void {
  state.saveRepoWatch(repoId, { rebuiltAt: now() });
  state.recordTask({ repoId, kind: 'catch_up', number: 0 }, now());
}

/** True for a day after the database was found outdated, when reopened turns may already have posts. */
export function wasOutdated({ state, now }: { state: State; now: () => number }, repoId: number): boolean {
  const rebuiltAt = readRebuiltAt(state, repoId);
  return rebuiltAt !== null && now() - rebuiltAt < DAY_MS;
}

/** True while no turn may open after a rebuild from GitHub, because GitHub's lists may lag. */
export function isInRebuildWindow(
  { state, now, windowMs }: { state: State; now: () => number; windowMs: number },
  repo: Repo,
): boolean {
  // Until the first complete read, earlier work is unknown.
  if (state.readFeed(repo.id, 'issues') === undefined) return true;
  const rebuiltAt = readRebuiltAt(state, repo.id);
  return rebuiltAt !== null && isWithin(windowMs, rebuiltAt, now());
}

/** Returns when the database was last found to be outdated; null if never. */
export function readRebuiltAt(state: Pick<State, 'readRepoWatch'>, repoId: number): number | null {
  return state.readRepoWatch(repoId)?.rebuiltAt ?? null;
}
