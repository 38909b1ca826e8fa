import type { CheckRun, CheckSuite } from '../store/check-rows.js';
import type { Repo } from '../store/rows.js';
import type { World } from '../world/world.js';

/** The checks that an app writes to a commit gather in one suite. */
export function ensureSuite(world: World, repo: Repo, sha: string, app: string): CheckSuite {
  const { store } = world;
  const known = store.checkSuites.find((row) => row.repoId === repo.id && row.sha === sha && row.app === app);
  return known ?? addSuite(world, repo, sha, app);
}

/** A suite of its own: Actions has one per workflow run. */
export function addSuite(world: World, repo: Repo, sha: string, app: string): CheckSuite {
  return world.store.checkSuites.put({ id: world.store.nextId(), repoId: repo.id, sha, app });
}

/** A check that was run again counts by its latest run; equal names in two suites are two checks. */
export function latestRuns(runs: CheckRun[]): CheckRun[] {
  return [...new Map(runs.map((run) => [`${run.suiteId} ${run.name}`, run])).values()];
}
