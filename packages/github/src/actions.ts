import { z } from 'zod';
import { fetchUnlessGone } from './fetch-unless-gone.js';
import type { FeedPage } from './http/feed-page.js';
import { followPages } from './http/pages.js';
import type { Requests } from './http/requests.js';
import { Job, WorkflowRun } from './models/action-models.js';

const Runs = z.object({ workflow_runs: z.array(WorkflowRun) }).transform((page) => page.workflow_runs);
const Jobs = z.object({ jobs: z.array(Job) }).transform((page) => page.jobs);
/** GitHub says `{}` to a run that starts again. */
const Accepted = z.union([z.object({}), z.literal('')]);

/** Of a run that stops at its first failure, all other jobs are cancelled: those tell nothing. */
const FAILED: readonly (string | null)[] = ['failure', 'timed_out', 'startup_failure'];
const MOST_FAILED = 20;
const MOST_JOBS = 500;

/** They would change the answer, and so its ETag, whenever a pull request of the branch opens, moves or closes. */
const WITHOUT_PULLS = { exclude_pull_requests: 'true' };

export type Actions = ReturnType<typeof createActions>;

/** CI, as far as it is GitHub's own. */
export function createActions(requests: Requests) {
  const runPath = (repo: string, id: number) => `/repos/${repo}/actions/runs/${id}`;

  return {
    /** The hundred newest runs of all branches: one request, which costs nothing while none of them changes. */
    async fetchActionsRunsFeed(
      repo: string,
      { etag }: { etag: string | null },
    ): Promise<FeedPage<WorkflowRun>> {
      const query = { per_page: 100, ...WITHOUT_PULLS };
      const answer = await requests.getIfChanged(`/repos/${repo}/actions/runs`, Runs, { query, etag });
      if (answer === undefined) return { kind: 'unchanged' };
      return { kind: 'changed', rows: answer.data, etag: answer.etag };
    },

    /** Null when it was deleted. */
    fetchActionsRun: (repo: string, runId: number): Promise<WorkflowRun | null> =>
      fetchUnlessGone(
        requests,
        repo,
        async () => (await requests.get(runPath(repo, runId), WorkflowRun, { query: WITHOUT_PULLS })).data,
      ),

    /** The first ones, of the latest attempt unless another is given. None when the run is gone. */
    async fetchFailedJobs(repo: string, runId: number, attempt?: number): Promise<Job[]> {
      const path = `${runPath(repo, runId)}${attempt === undefined ? '' : `/attempts/${attempt}`}/jobs`;
      const pages = await fetchUnlessGone(requests, repo, async () => {
        const first = await requests.get(path, Jobs, { query: { per_page: 100 } });
        return followPages(requests, first, Jobs, MOST_JOBS);
      });
      const jobs = (pages ?? []).flatMap(({ data }) => data);
      return jobs.filter(({ conclusion }) => FAILED.includes(conclusion)).slice(0, MOST_FAILED);
    },

    /** The end of what the job wrote, as it is: whoever shows it redacts it. Null when it expired, was deleted or is not there yet. */
    fetchJobLogTail: (repo: string, jobId: number, maxBytes: number): Promise<string | null> =>
      fetchUnlessGone(requests, repo, () =>
        requests.getTail(`/repos/${repo}/actions/jobs/${jobId}/logs`, maxBytes),
      ),

    /** A new attempt of the same run: `attempt` of the run shows whether it came about. 403 while it runs, and after a month. */
    async rerunFailedJobs(repo: string, runId: number): Promise<void> {
      await requests.write('POST', `${runPath(repo, runId)}/rerun-failed-jobs`, Accepted, {});
    },
  };
}
