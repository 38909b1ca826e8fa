import type { CheckRun, CheckSuite } from '../store/rows.js';
import type { InRepo } from '../world/world.js';

export type NewSuite = { sha: string; app: string };

/** Returns the suite that this app's checks on a commit share. Creates the suite if necessary. */
export function ensureSuite({ world, repo }: InRepo, { sha, app }: NewSuite): CheckSuite {
  const known = world.store.checkSuites.find(
    (row) => row.repoId === repo.id && row.sha === sha && row.app === app,
  );
  return known ?? addSuite({ world, repo }, { sha, app });
}

/** Adds a suite even if one exists, because GitHub Actions has one suite per workflow run. */
export function addSuite({ world, repo }: InRepo, suite: NewSuite): CheckSuite {
  return world.store.checkSuites.put({ id: world.store.nextId(), repoId: repo.id, ...suite });
}

/** Returns the latest run of each check. Checks with the same name in different suites are different checks. */
export function latestRuns(runs: CheckRun[]): CheckRun[] {
  return [...new Map(runs.map((run) => [`${run.suiteId} ${run.name}`, run])).values()];
}

export type Check = { name: string; state: 'success' | 'failure' | 'pending'; text: string };

/** Lists the latest check runs and statuses of a commit, worded as in GitHub's merge box. */
export function listChecks({ world, repo }: InRepo, sha: string): Check[] {
  const here = (row: { repoId: number; sha: string }) => row.repoId === repo.id && row.sha === sha;
  const runs = latestRuns(world.store.checkRuns.filter(here)).map(({ name, conclusion, status }): Check => {
    const passed = ['success', 'neutral', 'skipped'].includes(conclusion ?? '');
    const state = conclusion === null ? 'pending' : passed ? 'success' : 'failure';
    return { name, state, text: (conclusion ?? status).replaceAll('_', ' ') };
  });
  const latest = new Map(world.store.statuses.filter(here).map((row) => [row.context, row]));
  const statuses = [...latest.values()].map(({ context, state, description }): Check => {
    return { name: context, state: state === 'error' ? 'failure' : state, text: description ?? state };
  });
  return [...runs, ...statuses];
}
