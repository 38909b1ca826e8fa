import type { Annotation, Conclusion, Job, User, WorkflowRun } from '../store/rows.js';
import { born, type InRepo, stampOf, type World } from '../world/world.js';
import { addSuite } from './checks.js';

export const ACTIONS_APP = 'github-actions[bot]';

export type NewJob = { name: string; log: string; steps?: string[] };
export type NewRun = {
  sha: string;
  branch: string;
  name: string;
  event: string;
  jobs: NewJob[];
  by: User;
  /** The id of the fork that the branch belongs to. */
  forkId?: number;
};

const QUEUED = { status: 'queued', conclusion: null } as const;

/** Creates a queued workflow run with its jobs. As on GitHub, each job is also a check run. */
export function startRun({ world, repo }: InRepo, { jobs, by, ...wanted }: NewRun): WorkflowRun {
  const { store } = world;
  const earlier = store.workflowRuns.filter((row) => row.repoId === repo.id && row.name === wanted.name);
  const run = store.workflowRuns.put({
    ...born(world),
    ...wanted,
    ...QUEUED,
    repoId: repo.id,
    suiteId: addSuite({ world, repo }, { sha: wanted.sha, app: ACTIONS_APP }).id,
    workflowId: earlier[0]?.workflowId ?? store.nextId(),
    path: `.github/workflows/${wanted.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.yml`,
    runNumber: earlier.length + 1,
    attempt: 1,
    actorId: by.id,
    startedAt: stampOf(world),
  });
  for (const job of jobs) addJob(world, run, job);
  return run;
}

function addJob(world: World, run: WorkflowRun, job: NewJob): void {
  const { repoId, id: runId, attempt } = run;
  const { steps = ['Set up job', `Run ${job.name}`] } = job;
  const row = { ...born(world), ...job, ...QUEUED, steps, annotations: [], repoId, runId, attempt };
  mirrorCheck(world, run, world.store.jobs.put({ ...row, startedAt: stampOf(world), completedAt: null }));
}

export function listJobs(world: World, run: WorkflowRun, attempt = run.attempt): Job[] {
  return world.store.jobs.filter((job) => job.runId === run.id && job.attempt === attempt);
}

export function finishJob(
  world: World,
  job: Job,
  { conclusion, log, annotations }: { conclusion: Conclusion; log: string; annotations: Annotation[] },
): void {
  const { store } = world;
  const run = store.workflowRuns.get(job.runId);
  if (!run) return;
  const updatedAt = stampOf(world);
  mirrorCheck(
    world,
    run,
    store.jobs.put({ ...job, status: 'completed', conclusion, completedAt: updatedAt, log, annotations }),
  );
  const jobs = listJobs(world, run);
  const worst = jobs.find((row) => row.conclusion !== 'success' && row.conclusion !== 'skipped')?.conclusion;
  const outcome = jobs.some((row) => row.status !== 'completed')
    ? ({ status: 'in_progress', conclusion: null } as const)
    : ({ status: 'completed', conclusion: worst ?? 'success' } as const);
  store.workflowRuns.put({ ...run, ...outcome, updatedAt });
}

/** Starts a new attempt for the failed jobs. The other jobs keep their results. */
export function rerunFailed(world: World, run: WorkflowRun): void {
  const { store } = world;
  const now = stampOf(world);
  const jobs = listJobs(world, run);
  const again = { attempt: run.attempt + 1, updatedAt: now, startedAt: now };
  const next = store.workflowRuns.put({ ...run, ...QUEUED, ...again });
  for (const job of jobs) {
    if (job.conclusion !== 'success') addJob(world, next, { name: job.name, log: '', steps: job.steps });
    else mirrorCheck(world, next, store.jobs.put({ ...job, id: store.nextId(), attempt: next.attempt }));
  }
}

function mirrorCheck({ store }: World, { suiteId, sha }: WorkflowRun, job: Job): void {
  const { log: _log, steps: _steps, runId: _runId, attempt: _attempt, ...check } = job;
  store.checkRuns.put({ ...check, suiteId, sha });
}
