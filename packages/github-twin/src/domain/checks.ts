import type { CheckRun, CheckSuite } from '../store/check-rows.js';
import type { Repo } from '../store/rows.js';
import type { SuiteState } from '../views/checks.js';
import type { World } from '../world.js';

/** The checks that an app writes to a commit gather in one suite. */
export function ensureSuite(world: World, repo: Repo, sha: string, app: string): CheckSuite {
  const { store } = world;
  const known = store.checkSuites.find((row) => row.repoId === repo.id && row.sha === sha && row.app === app);
  return known ?? addSuite(world, repo, sha, app);
}

/** A suite of its own: Actions has one per workflow run. */
export function addSuite(world: World, repo: Repo, sha: string, app: string): CheckSuite {
  const { store } = world;
  const refs = store.refs.get(repo.id)?.refs ?? {};
  const branch = Object.entries(refs).find(([ref, tip]) => tip === sha && ref.startsWith('refs/heads/'))?.[0];
  const now = world.stamp();
  return store.checkSuites.put({
    id: store.nextId(),
    repoId: repo.id,
    sha,
    branch: branch?.slice('refs/heads/'.length) ?? null,
    app,
    createdAt: now,
    updatedAt: now,
  });
}

/** A check that was run again counts by its latest run; equal names in two suites are two checks. */
export function latestRuns(runs: CheckRun[]): CheckRun[] {
  return [...new Map(runs.map((run) => [`${run.suiteId} ${run.name}`, run])).values()];
}

/** A suite is as far as its slowest run and as bad as its worst. */
export function computeSuiteState(world: World, suite: CheckSuite): SuiteState {
  const runs = latestRuns(world.store.checkRuns.filter((row) => row.suiteId === suite.id));
  const done = runs.length > 0 && runs.every((run) => run.status === 'completed');
  const started = runs.some((run) => run.status !== 'queued');
  const worst = (['failure', 'timed_out', 'cancelled', 'action_required'] as const).find((conclusion) =>
    runs.some((run) => run.conclusion === conclusion),
  );
  return {
    status: done ? 'completed' : started ? 'in_progress' : 'queued',
    conclusion: done ? (worst ?? 'success') : null,
    runs: runs.length,
  };
}
