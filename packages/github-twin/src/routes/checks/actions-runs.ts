import { ApiError, notFound } from '../../basics/api-error.js';
import { rerunFailed } from '../../domain/workflow-runs.js';
import { created, numberParam, ok, refuseUnsupported } from '../../rest/call.js';
import { asSeen, listPage } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import type { WorkflowRun } from '../../store/check-rows.js';
import { viewRun } from '../../views/actions.js';

const one = '/actions/runs/{run_id}';

export const actionsRunRoutes = [
  repoRoute('GET', '/actions/workflows', 'read', (call) => {
    const runs = call.world.store.workflowRuns.filter((run) => run.repoId === call.repo.id);
    const workflows = [...new Map(runs.map((run) => [run.workflowId, run])).values()];
    return listPage(call, workflows, viewWorkflow, (rows, total_count) => ({ total_count, workflows: rows }));
  }),
  repoRoute('GET', '/actions/runs', 'read', listRuns),
  repoRoute('GET', one, 'read', async (call) => ok(await viewOne(call, runOf(call)))),
  repoRoute('POST', `${one}/rerun-failed-jobs`, 'write', (call) => {
    const run = runOf(call);
    if (run.status !== 'completed') throw new ApiError(403, 'This workflow run is already running');
    rerunFailed(call.world, run);
    return created({});
  }),
];

export function runOf(call: RepoCall): WorkflowRun {
  const run = call.world.store.workflowRuns.get(numberParam(call, 'run_id'));
  if (run?.repoId !== call.repo.id) throw notFound();
  return run;
}

function viewWorkflow({ workflowId: id, name, path, createdAt }: WorkflowRun) {
  return {
    id,
    node_id: `W_${id}`,
    name,
    path,
    state: 'active',
    created_at: createdAt,
    updated_at: createdAt,
  };
}

async function viewOne(call: RepoCall, run: WorkflowRun) {
  const view = viewRun(call, call.repo, run, await call.world.gitRepo(call.repo).readCommit(run.sha));
  return call.query.get('exclude_pull_requests') === 'true' ? { ...view, pull_requests: [] } : view;
}

/** Newest first; there is no `since`. */
function listRuns(call: RepoCall) {
  refuseUnsupported(call, ['actor', 'branch', 'check_suite_id', 'created', 'event', 'head_sha', 'status']);
  const { world, repo } = call;
  const all = world.store.workflowRuns.filter((run) => run.repoId === repo.id);
  const rows = asSeen(call, world.store.workflowRuns, all).reverse();
  return listPage(
    call,
    rows,
    (run) => viewOne(call, run),
    (workflow_runs, total_count) => ({ total_count, workflow_runs }),
  );
}
