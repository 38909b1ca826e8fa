import { z } from 'zod';
import { fetchUnlessGone } from './fetch-unless-gone.js';
import { type FeedPage, keepOnePer, readRows } from './http/pages.js';
import { readPagesIfChanged } from './http/pages-if-changed.js';
import type { Requests } from './http/requests.js';
import type { Memory } from './memory/create-memory.js';
import { versionOf } from './memory/freshness.js';
import { orNull, row, text } from './models/row.js';
import { refusePartialSha } from './refuse-partial-sha.js';

/** A check run by an app. `appSlug` is `github-actions` for the jobs of workflow runs. */
export const CheckRun = row({
  id: ['id', z.int()],
  name: ['name', z.string()],
  status: ['status', z.string()],
  conclusion: ['conclusion', orNull(z.string())],
  url: ['html_url', orNull(z.string())],
  detailsUrl: ['details_url', orNull(z.string())],
  /** Chosen by the app that created the check run. */
  externalId: ['external_id', orNull(z.string())],
  appSlug: ['app', orNull(z.object({ slug: orNull(z.string()) })).transform((app) => app?.slug ?? null)],
}).transform(({ detailsUrl, ...run }) => ({ ...run, url: run.url ?? detailsUrl }));
export type CheckRun = z.infer<typeof CheckRun>;

const StatusState = z.enum(['error', 'failure', 'pending', 'success']);
export type StatusState = z.infer<typeof StatusState>;

/** The latest status of one context. Anyone with write access can post a status. */
export const CommitStatus = row({
  id: ['id', z.int()],
  name: ['context', z.string()],
  state: ['state', StatusState],
  description: ['description', orNull(z.string())],
  url: ['target_url', orNull(z.string())],
});
export type CommitStatus = z.infer<typeof CommitStatus>;

/** A check's message about a line of a file. */
const Annotation = row({
  path: ['path', z.string()],
  line: ['start_line', z.int()],
  level: ['annotation_level', orNull(z.string()).transform((level) => level ?? 'notice')],
  message: ['message', text],
});
export type Annotation = z.infer<typeof Annotation>;

export type NewStatus = {
  state: StatusState;
  context: string;
  description: string;
  targetUrl: string | null;
};

export type NewCheckRun = {
  name: string;
  /** Identifies the run, so that it can be found again. */
  externalId: string;
  conclusion: 'success' | 'failure' | 'action_required';
  title: string;
  summary: string;
  detailsUrl: string | null;
  annotations: readonly {
    path: string;
    start_line: number;
    end_line: number;
    annotation_level: 'notice' | 'warning' | 'failure';
    title: string;
    message: string;
  }[];
};

const CheckRuns = z.object({ check_runs: z.array(CheckRun) }).transform((page) => page.check_runs);
const Combined = z.object({ statuses: z.array(CommitStatus) }).transform((page) => page.statuses);
const Created = z.object({ id: z.int() });

/** Maximum number of pages: ten pages hold 1,000 checks or 1,000 statuses. */
const MAX_PAGES = 10;
const MOST_ANNOTATIONS = 100;
/** Maximum length of a description. GitHub rejects longer ones. */
const DESCRIPTION_LENGTH = 140;

export function createChecks(requests: Requests, { freshness }: Pick<Memory, 'freshness'>) {
  /** Throws if a list is older than an earlier one. */
  const refuseOutdated = <Row extends { id: number; name: string }>(
    page: FeedPage<Row>,
    about: { repo: string; headSha: string; nameOf: (row: Row) => string },
  ): FeedPage<Row> => {
    if (page.kind === 'unchanged') return page;
    const { repo, headSha, nameOf } = about;
    // Several runs of an app can have the same name. The newest of them shows whether the list is outdated.
    const newest = keepOnePer(
      nameOf,
      [...page.rows].sort((a, b) => a.id - b.id),
    );
    for (const row of newest)
      freshness.check(versionOf.check(repo, { headSha, name: nameOf(row), id: row.id }));
    return page;
  };

  return {
    /**
     * Fetches the latest run of each check. An app can set its check back to pending, so a pending check does not mean
     * that the response is outdated.
     */
    async fetchCheckRuns(repo: string, sha: string, etag: string | null) {
      refusePartialSha(sha);
      const path = `/repos/${repo}/commits/${sha}/check-runs`;
      const page = await readPagesIfChanged(requests, { path, page: CheckRuns, maxPages: MAX_PAGES }, etag);
      const nameOf = ({ appSlug, name }: CheckRun) => `run ${appSlug}/${name}`;
      return refuseOutdated(page, { repo, headSha: sha, nameOf });
    },

    /**
     * Fetches the first annotations that report a failure. A job of a workflow has the same id as its check run. Empty
     * if the check run was deleted.
     */
    async fetchFailureAnnotations(repo: string, checkRunId: number): Promise<Annotation[]> {
      const path = `/repos/${repo}/check-runs/${checkRunId}/annotations`;
      const list = { path, page: z.array(Annotation), query: { per_page: 100 }, limit: MOST_ANNOTATIONS };
      const found = (await fetchUnlessGone(requests, repo, () => readRows(requests, list))) ?? [];
      return found.filter(({ level }) => level === 'failure');
    },

    /** Creates a completed check run. GitHub accepts this only from an App, and at most 50 annotations. */
    async postCheckRun(repo: string, sha: string, run: NewCheckRun): Promise<{ id: number }> {
      refusePartialSha(sha);
      const { detailsUrl, externalId, annotations, ...rest } = run;
      return requests.write(`POST /repos/${repo}/check-runs`, Created, {
        name: rest.name,
        head_sha: sha,
        external_id: externalId,
        status: 'completed',
        conclusion: rest.conclusion,
        ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
        output: { title: rest.title, summary: rest.summary, annotations },
      });
    },

    async fetchCommitStatuses(repo: string, sha: string, etag: string | null) {
      refusePartialSha(sha);
      const path = `/repos/${repo}/commits/${sha}/status`;
      const page = await readPagesIfChanged(requests, { path, page: Combined, maxPages: MAX_PAGES }, etag);
      return refuseOutdated(page, { repo, headSha: sha, nameOf: ({ name }) => `status ${name}` });
    },

    /**
     * Posts a status. Safe to repeat, because only the latest status of a context counts. Shortens a long description.
     */
    async postCommitStatus(repo: string, sha: string, status: NewStatus): Promise<{ id: number }> {
      refusePartialSha(sha);
      const { state, context, targetUrl } = status;
      return requests.write(`POST /repos/${repo}/statuses/${sha}`, Created, {
        state,
        context,
        description: cut(status.description, DESCRIPTION_LENGTH),
        ...(targetUrl === null ? {} : { target_url: targetUrl }),
      });
    },
  };
}

/** Shortens a text without cutting through a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
