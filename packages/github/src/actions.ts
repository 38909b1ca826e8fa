import { z } from 'zod';
import { createFind, fetchUnlessGone } from './fetch-unless-gone.js';
import type { Tail } from './http/get-tail.js';
import { type FeedPage, readFeed, readRows } from './http/pages.js';
import type { Requests } from './http/requests.js';
import type { Memory } from './memory/create-memory.js';
import { versionOf } from './memory/freshness.js';
import { Job, WorkflowRun } from './models/action-models.js';
import { refusePartialSha } from './refuse-partial-sha.js';

const Runs = z.object({ workflow_runs: z.array(WorkflowRun) }).transform((page) => page.workflow_runs);
const Jobs = z.object({ jobs: z.array(Job) }).transform((page) => page.jobs);
/** Accepts `{}` or an empty body as GitHub's response to a rerun. */
const Accepted = z.union([z.object({}), z.literal('')]);

/** Excludes `cancelled`, because a run that stops at its first failure cancels all other jobs. */
const FAILED: readonly (string | null)[] = ['failure', 'timed_out', 'startup_failure'];
const MOST_JOBS = 500;

/** Omits pull requests, because any change to one of them would change the response's ETag. */
const WITHOUT_PULLS = { exclude_pull_requests: 'true' };

/** Requests to the GitHub Actions API. */
export function createActions(requests: Requests, { freshness }: Pick<Memory, 'freshness'>) {
  const find = createFind(requests);
  const dropOutdated = (repo: string, rows: readonly WorkflowRun[]): WorkflowRun[] =>
    freshness.dropOutdated(rows, (run) => versionOf.run(repo, run));

  return {
    /**
     * Returns the 100 newest runs of all branches. While no run changes, the request does not count against the rate
     * limit. Leaves out runs that GitHub returned in a later version before.
     */
    async fetchActionsRunsFeed(
      repo: string,
      { etag }: { etag: string | null },
    ): Promise<FeedPage<WorkflowRun>> {
      const query = { per_page: 100, ...WITHOUT_PULLS };
      const list = { path: `/repos/${repo}/actions/runs`, page: Runs, query, limit: 1 };
      const page = await readFeed(requests, list, etag);
      return page.kind === 'unchanged' ? page : { ...page, rows: dropOutdated(repo, page.rows) };
    },

    /** Returns the newest runs of one commit, without outdated versions. */
    async fetchActionsRunsOf(repo: string, sha: string): Promise<WorkflowRun[]> {
      refusePartialSha(sha);
      const query = { per_page: 100, head_sha: sha, ...WITHOUT_PULLS };
      const list = { path: `/repos/${repo}/actions/runs`, page: Runs, query, limit: 1 };
      return dropOutdated(repo, await readRows(requests, list));
    },

    /** Fetches a workflow run; null if the run was deleted. */
    async fetchActionsRun(repo: string, runId: number): Promise<WorkflowRun | null> {
      const run = await find({ repo, path: `actions/runs/${runId}`, query: WITHOUT_PULLS }, WorkflowRun);
      if (run !== null) freshness.check(versionOf.run(repo, run));
      return run;
    },

    /**
     * Returns the failed jobs of the given attempt, or of the latest by default. Empty if the run was deleted.
     */
    async fetchFailedJobs(repo: string, runId: number, attempt?: number): Promise<Job[]> {
      const run = `/repos/${repo}/actions/runs/${runId}`;
      const path = `${run}${attempt === undefined ? '' : `/attempts/${attempt}`}/jobs`;
      const list = { path, page: Jobs, query: { per_page: 100 }, limit: MOST_JOBS };
      const jobs = (await fetchUnlessGone(requests, repo, () => readRows(requests, list))) ?? [];
      return jobs.filter(({ conclusion }) => FAILED.includes(conclusion));
    },

    /**
     * Returns the end of the job's log, not redacted. Null if the log is too large, expired, deleted or not written
     * yet.
     */
    fetchJobLogTail: (repo: string, jobId: number, maxBytes: number): Promise<Tail | null> =>
      fetchUnlessGone(requests, repo, () =>
        requests.getTail(`/repos/${repo}/actions/jobs/${jobId}/logs`, maxBytes),
      ),

    /**
     * Starts a new attempt, which raises the run's `attempt`. Fails (403) if the run is still active or is older than
     * a month.
     */
    async rerunFailedJobs(repo: string, runId: number): Promise<void> {
      await requests.write(`POST /repos/${repo}/actions/runs/${runId}/rerun-failed-jobs`, Accepted, {});
    },
  };
}
