import { z } from 'zod';
import type { FeedPage } from './http/feed-page.js';
import { readPagesIfChanged } from './http/pages-if-changed.js';
import type { Requests } from './http/requests.js';
import { refusePartialSha } from './refuse-partial-sha.js';

/** A check by an app; `appSlug` is `github-actions` for the jobs of workflow runs. */
export const CheckRun = z
  .object({
    id: z.int(),
    name: z.string(),
    status: z.string(),
    conclusion: z.string().nullish(),
    html_url: z.string().nullish(),
    details_url: z.string().nullish(),
    app: z.object({ slug: z.string().nullish() }).nullish(),
  })
  .transform((run) => ({
    id: run.id,
    name: run.name,
    status: run.status,
    conclusion: run.conclusion ?? null,
    url: run.html_url ?? run.details_url ?? null,
    appSlug: run.app?.slug ?? null,
  }));
export type CheckRun = z.infer<typeof CheckRun>;

const StatusState = z.enum(['error', 'failure', 'pending', 'success']);
export type StatusState = z.infer<typeof StatusState>;

/** What anyone with the right to write may say of a commit; the latest word of each name. */
export const CommitStatus = z
  .object({
    id: z.int(),
    context: z.string(),
    state: StatusState,
    description: z.string().nullish(),
    target_url: z.string().nullish(),
  })
  .transform((status) => ({
    id: status.id,
    name: status.context,
    state: status.state,
    description: status.description ?? null,
    url: status.target_url ?? null,
  }));
export type CommitStatus = z.infer<typeof CommitStatus>;

export type NewStatus = {
  state: StatusState;
  context: string;
  description: string;
  targetUrl: string | null;
};

const CheckRuns = z.object({ check_runs: z.array(CheckRun) }).transform((page) => page.check_runs);
const Combined = z.object({ statuses: z.array(CommitStatus) }).transform((page) => page.statuses);
const Created = z.object({ id: z.int() });

/** A thousand of each. */
const MAX_PAGES = 10;
/** GitHub refuses longer ones. */
const DESCRIPTION_LENGTH = 140;

export type Checks = ReturnType<typeof createChecks>;

export function createChecks(requests: Requests) {
  const read = async <Row extends { id: number }>(
    path: string,
    page: z.ZodType<Row[]>,
    etag: string | null,
  ): Promise<FeedPage<Row>> => readPagesIfChanged(requests, { path, page, maxPages: MAX_PAGES }, etag);

  return {
    /** The latest run of each check. */
    async fetchCheckRuns(repo: string, sha: string, etag: string | null): Promise<FeedPage<CheckRun>> {
      refusePartialSha(sha);
      return read(`/repos/${repo}/commits/${sha}/check-runs`, CheckRuns, etag);
    },

    async fetchCommitStatuses(
      repo: string,
      sha: string,
      etag: string | null,
    ): Promise<FeedPage<CommitStatus>> {
      refusePartialSha(sha);
      return read(`/repos/${repo}/commits/${sha}/status`, Combined, etag);
    },

    /** The same twice is harmless: the latest of a context counts. A long description is cut. */
    async postCommitStatus(repo: string, sha: string, status: NewStatus): Promise<{ id: number }> {
      refusePartialSha(sha);
      const { state, context, targetUrl } = status;
      return requests.write('POST', `/repos/${repo}/statuses/${sha}`, Created, {
        state,
        context,
        description: cut(status.description, DESCRIPTION_LENGTH),
        ...(targetUrl === null ? {} : { target_url: targetUrl }),
      });
    },
  };
}

/** Never in the middle of a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
