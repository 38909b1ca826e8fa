import type { CheckSuite } from '../store/check-rows.js';
import type { Repo } from '../store/rows.js';
import type { SuiteState } from '../views/checks.js';
import type { World } from '../world.js';

/** Checks belong to suites, one per commit and app. */
export function ensureSuite(world: World, repo: Repo, sha: string, app: string): CheckSuite {
  const { store } = world;
  const known = store.checkSuites.find((row) => row.repoId === repo.id && row.sha === sha && row.app === app);
  if (known) return known;
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

/** A suite is as far as its slowest run and as bad as its worst. */
export function computeSuiteState(world: World, suite: CheckSuite): SuiteState {
  const runs = world.store.checkRuns.filter((row) => row.suiteId === suite.id);
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
