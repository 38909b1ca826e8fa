import { ApiError, notFound } from '../api-error.js';
import { latestJobs, rerun } from '../domain/workflow-runs.js';
import { created, numberParam, ok } from '../http/call.js';
import { listPage } from '../http/paginate.js';
import type { Job, WorkflowRun } from '../store/check-rows.js';
import { viewJob } from '../views/actions.js';
import { redirect, runOf } from './actions-runs.js';
import { type RepoCall, repoRoute } from './repo-route.js';

const one = '/actions/jobs/{job_id}';

export const actionsJobRoutes = [
  repoRoute('GET', '/actions/runs/{run_id}/jobs', 'read', (call) => {
    const run = runOf(call);
    const all = call.query.get('filter') === 'all';
    const jobs = all
      ? call.world.store.jobs.filter((job) => job.runId === run.id)
      : latestJobs(call.world, run);
    return listJobs(call, run, jobs);
  }),
  repoRoute('GET', '/actions/runs/{run_id}/attempts/{attempt_number}/jobs', 'read', (call) => {
    const run = runOf(call);
    const attempt = numberParam(call, 'attempt_number');
    if (attempt < 1 || attempt > run.attempt) throw notFound();
    return listJobs(
      call,
      run,
      call.world.store.jobs.filter((job) => job.runId === run.id && job.attempt === attempt),
    );
  }),
  repoRoute('GET', one, 'read', (call) => {
    const { job, run } = jobOf(call);
    return ok(viewJob(call, call.repo, run, job));
  }),
  repoRoute('GET', `${one}/logs`, 'read', (call) => {
    const { job } = jobOf(call);
    if (job.status !== 'completed') throw notFound();
    return redirect(call, `/_logs/jobs/${job.id}`);
  }),
  repoRoute('POST', `${one}/rerun`, 'write', (call) => {
    const { job, run } = jobOf(call);
    if (run.status !== 'completed') throw new ApiError(403, 'This workflow run is already running');
    rerun(call.world, run, (other) => other.id === job.id);
    return created({});
  }),
];

function listJobs(call: RepoCall, run: WorkflowRun, rows: Job[]) {
  const wrap = (jobs: unknown[], total_count: number) => ({ total_count, jobs });
  return listPage(call, rows, (job) => viewJob(call, call.repo, run, job), wrap);
}

function jobOf(call: RepoCall): { job: Job; run: WorkflowRun } {
  const { store } = call.world;
  const job = store.jobs.get(numberParam(call, 'job_id'));
  const run = job && store.workflowRuns.get(job.runId);
  if (!job || !run || job.repoId !== call.repo.id) throw notFound();
  return { job, run };
}
