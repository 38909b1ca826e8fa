import type { Conclusion, Job, WorkflowRun } from '../store/check-rows.js';
import type { Repo, User } from '../store/rows.js';
import type { World } from '../world/world.js';
import { addSuite } from './checks.js';

export const ACTIONS_APP = 'github-actions[bot]';

export type NewRun = {
  sha: string;
  branch: string | null;
  name: string;
  event: string;
  title: string;
  jobs: { name: string; log: string }[];
};

/** A workflow run as Actions would start it: queued, with its jobs, each of them a check run too. */
export function startRun(world: World, repo: Repo, actor: User, wanted: NewRun): WorkflowRun {
  const { store } = world;
  const now = world.stamp();
  const earlier = store.workflowRuns.filter((row) => row.repoId === repo.id && row.name === wanted.name);
  const run = store.workflowRuns.put({
    id: store.nextId(),
    repoId: repo.id,
    suiteId: addSuite(world, repo, wanted.sha, ACTIONS_APP).id,
    workflowId: earlier[0]?.workflowId ?? store.nextId(),
    name: wanted.name,
    path: `.github/workflows/${wanted.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.yml`,
    title: wanted.title,
    event: wanted.event,
    branch: wanted.branch,
    sha: wanted.sha,
    runNumber: earlier.length + 1,
    attempt: 1,
    status: 'queued',
    conclusion: null,
    actorId: actor.id,
    createdAt: now,
    updatedAt: now,
    startedAt: now,
    bornMs: world.clock.now(),
  });
  for (const job of wanted.jobs) addJob(world, run, job.name, job.log);
  return run;
}

export function addJob(world: World, run: WorkflowRun, name: string, log: string): Job {
  const now = world.stamp();
  const job = world.store.jobs.put({
    id: world.store.nextId(),
    repoId: run.repoId,
    runId: run.id,
    attempt: run.attempt,
    name,
    status: 'queued',
    conclusion: null,
    createdAt: now,
    startedAt: now,
    completedAt: null,
    log,
    bornMs: world.clock.now(),
  });
  mirrorCheck(world, run, job);
  return job;
}

export function latestJobs(world: World, run: WorkflowRun): Job[] {
  return world.store.jobs.filter((job) => job.runId === run.id && job.attempt === run.attempt);
}

export function finishJob(world: World, job: Job, conclusion: Conclusion, log = job.log): void {
  const { store } = world;
  const run = store.workflowRuns.get(job.runId);
  if (!run) return;
  const now = world.stamp();
  const done = store.jobs.put({ ...job, status: 'completed', conclusion, completedAt: now, log });
  mirrorCheck(world, run, done);
  const jobs = latestJobs(world, run);
  const open = jobs.some((row) => row.status !== 'completed');
  const worst = jobs.find((row) => row.conclusion !== 'success' && row.conclusion !== 'skipped')?.conclusion;
  store.workflowRuns.put({
    ...run,
    status: open ? 'in_progress' : 'completed',
    conclusion: open ? null : (worst ?? 'success'),
    updatedAt: now,
  });
}

/** A new attempt of the jobs that failed; the others keep their results in it. */
export function rerunFailed(world: World, run: WorkflowRun): void {
  const { store } = world;
  const now = world.stamp();
  const jobs = latestJobs(world, run);
  const next = store.workflowRuns.put({
    ...run,
    attempt: run.attempt + 1,
    status: 'queued',
    conclusion: null,
    updatedAt: now,
    startedAt: now,
  });
  for (const job of jobs) {
    if (job.conclusion !== 'success') addJob(world, next, job.name, '');
    else mirrorCheck(world, next, store.jobs.put({ ...job, id: store.nextId(), attempt: next.attempt }));
  }
}

function mirrorCheck({ store }: World, run: WorkflowRun, job: Job): void {
  store.checkRuns.put({
    id: job.id,
    repoId: run.repoId,
    suiteId: run.suiteId,
    sha: run.sha,
    name: job.name,
    status: job.status,
    conclusion: job.conclusion,
    startedAt: job.startedAt,
    completedAt: job.completedAt,
    bornMs: job.bornMs,
  });
}
