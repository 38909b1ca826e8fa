import { finishJob, listJobs, type NewRun, startRun } from '../domain/workflow-runs.js';
import type { Annotation, Conclusion } from '../store/rows.js';
import type { World } from '../world/world.js';
import { repoNamed, userNamed } from './control.js';

export type RunInput = { branch: string; by: string } & Partial<
  Pick<NewRun, 'name' | 'event' | 'jobs' | 'forkId'>
>;

type FinishOptions = { job?: string; log?: string; annotations?: Annotation[] };

/** Simulates GitHub Actions: tests start and finish the workflow runs. */
export function createActions(world: World) {
  return {
    /** Creates a queued run on the head of a branch and returns its id. */
    start(repoName: string, { branch, by, ...input }: RunInput): number {
      const repo = repoNamed(world, repoName);
      const sha = world.gitRepo(repo).branch(branch);
      if (!sha) throw new Error(`${repoName} has no branch ${branch}`);
      const usual = { name: 'CI', event: 'push', jobs: [{ name: 'test', log: '' }] };
      return startRun({ world, repo }, { ...usual, ...input, sha, branch, by: userNamed(world, by) }).id;
    },
    /** Finishes all open jobs of the latest attempt, or only the named job. */
    finish(runId: number, conclusion: Conclusion, options: FinishOptions = {}): void {
      const run = world.store.workflowRuns.get(runId);
      if (!run) throw new Error(`the twin has no workflow run ${runId}`);
      const { job: only, log, annotations = [] } = options;
      for (const job of listJobs(world, run))
        if (job.status !== 'completed' && (only === undefined || job.name === only))
          finishJob(world, job, { conclusion, log: log ?? job.log, annotations });
    },
  };
}
