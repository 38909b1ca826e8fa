import { notFound } from '../../basics/api-error.js';
import { latestJobs } from '../../domain/workflow-runs.js';
import { signPath } from '../../http/signed-path.js';
import { numberParam, refuseUnsupported } from '../../rest/call.js';
import { listPage } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import type { Job, WorkflowRun } from '../../store/check-rows.js';
import { viewJob } from '../../views/actions.js';
import { runOf } from './actions-runs.js';

export const actionsJobRoutes = [
  repoRoute('GET', '/actions/runs/{run_id}/jobs', 'read', (call) => {
    refuseUnsupported(call, ['filter']);
    const run = runOf(call);
    return listJobs(call, run, latestJobs(call.world, run));
  }),
  repoRoute('GET', '/actions/runs/{run_id}/attempts/{attempt_number}/jobs', 'read', (call) => {
    const run = runOf(call);
    const attempt = numberParam(call, 'attempt_number');
    if (attempt < 1 || attempt > run.attempt) throw notFound();
    const jobs = call.world.store.jobs.filter((job) => job.runId === run.id && job.attempt === attempt);
    return listJobs(call, run, jobs);
  }),
  // The log is at a signed address that needs no token and soon expires.
  repoRoute('GET', '/actions/jobs/{job_id}/logs', 'read', (call) => {
    const { url, store } = call.world;
    const job = store.jobs.get(numberParam(call, 'job_id'));
    if (job?.repoId !== call.repo.id || job.status !== 'completed') throw notFound();
    return { status: 302, headers: { location: `${url}${signPath(call.world, `/_logs/jobs/${job.id}`)}` } };
  }),
];

function listJobs(call: RepoCall, run: WorkflowRun, rows: Job[]) {
  const wrap = (jobs: unknown[], total_count: number) => ({ total_count, jobs });
  return listPage(call, rows, (job) => viewJob(call, call.repo, run, job), wrap);
}
