import { ApiError, notFound } from '../../basics/api-error.js';
import { listJobs, rerunFailed } from '../../domain/workflow-runs.js';
import { signPath } from '../../http/signed-path.js';
import { created, numberParam, ok, refuseUnsupported, rowParam } from '../../rest/call.js';
import { applyLag, listCounted } from '../../rest/lists.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import type { WorkflowRun } from '../../store/rows.js';
import { viewJob, viewRun, viewWorkflow } from '../../views/actions.js';

const one = '/actions/runs/{run_id}';

export const actionsRoutes = [
  repoRoute('GET /actions/workflows', (call) => {
    const rows = [...new Map(runsOf(call).map((run) => [run.workflowId, run])).values()];
    return listCounted(call, 'workflows', { rows, view: viewWorkflow });
  }),
  repoRoute('GET /actions/runs', (call) => {
    refuseUnsupported(call, ['actor', 'branch', 'check_suite_id', 'created', 'event', 'status']);
    const sha = call.query.get('head_sha');
    // Newest first. GitHub has no `since` parameter for workflow runs.
    const rows = applyLag(call, call.world.store.workflowRuns, runsOf(call))
      .filter((run) => sha === null || run.sha === sha)
      .reverse();
    return listCounted(call, 'workflow_runs', { rows, view: viewOne });
  }),
  repoRoute(`GET ${one}`, async (call) => ok(await viewOne(call, runOf(call)))),
  repoRoute(
    `POST ${one}/rerun-failed-jobs`,
    (call) => {
      const run = runOf(call);
      if (run.status !== 'completed') throw new ApiError(403, 'This workflow run is already running');
      rerunFailed(call.world, run);
      return created({});
    },
    'write',
  ),
  repoRoute(`GET ${one}/jobs`, (call) => {
    refuseUnsupported(call, ['filter']);
    return listAttempt(call, runOf(call).attempt);
  }),
  repoRoute(`GET ${one}/attempts/{attempt_number}/jobs`, (call) =>
    listAttempt(call, numberParam(call, 'attempt_number')),
  ),
  // Redirects to a signed URL that needs no token and expires soon.
  repoRoute('GET /actions/jobs/{job_id}/logs', (call) => {
    const { world } = call;
    const job = rowParam(call, 'job_id', world.store.jobs);
    if (job.status !== 'completed') throw notFound();
    return { status: 302, headers: { location: `${world.url}${signPath(world, `/_logs/jobs/${job.id}`)}` } };
  }),
];

const runOf = (call: RepoCall) => rowParam(call, 'run_id', call.world.store.workflowRuns);
const runsOf = ({ world, repo }: RepoCall) =>
  world.store.workflowRuns.filter((run) => run.repoId === repo.id);

async function viewOne(call: RepoCall, run: WorkflowRun) {
  const view = viewRun(call, run, await call.world.gitRepo(call.repo).readCommit(run.sha));
  return call.query.get('exclude_pull_requests') === 'true' ? { ...view, pull_requests: [] } : view;
}

function listAttempt(call: RepoCall, attempt: number) {
  const run = runOf(call);
  if (attempt < 1 || attempt > run.attempt) throw notFound();
  const rows = listJobs(call.world, run, attempt);
  return listCounted(call, 'jobs', { rows, view: (_, job) => viewJob(call, job, run) });
}
