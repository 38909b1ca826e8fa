import { finishJob, latestJobs, type NewRun, startRun } from '../domain/workflow-runs.js';
import type { Conclusion } from '../store/check-rows.js';
import type { World } from '../world/world.js';
import { repoNamed, userNamed } from './control.js';

export type RunInput = {
  branch: string;
  by: string;
  name?: string;
  event?: string;
  jobs?: NewRun['jobs'];
};

/** GitHub Actions, played by a test: runs start and end when it says so. */
export function createActions(world: World) {
  const runNamed = (id: number) => {
    const run = world.store.workflowRuns.get(id);
    if (!run) throw new Error(`the twin has no workflow run ${id}`);
    return run;
  };
  return {
    /** A queued run on the head of a branch; answers with its id. */
    start(repoName: string, input: RunInput): number {
      const repo = repoNamed(world, repoName);
      const sha = world.store.refs.get(repo.id)?.refs[`refs/heads/${input.branch}`];
      if (!sha) throw new Error(`${repoName} has no branch ${input.branch}`);
      const name = input.name ?? 'CI';
      const jobs = input.jobs ?? [{ name: 'test', log: '' }];
      const run = { sha, branch: input.branch, name, event: input.event ?? 'push', title: name, jobs };
      return startRun(world, repo, userNamed(world, input.by), run).id;
    },
    /** Ends all open jobs of the latest attempt, or one of them by its name. */
    finish(runId: number, conclusion: Conclusion, options: { job?: string; log?: string } = {}): void {
      const open = latestJobs(world, runNamed(runId)).filter(
        (job) => job.status !== 'completed' && (options.job === undefined || job.name === options.job),
      );
      for (const job of open) finishJob(world, job, conclusion, options.log ?? job.log);
    },
  };
}
