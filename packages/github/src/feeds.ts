import { z } from 'zod';
import type { FeedPage } from './http/feed-page.js';
import { followPages, havePagesMoved, keepOnePer } from './http/pages.js';
import type { Answer, Requests } from './http/requests.js';
import type { Query } from './http/send.js';
import { Issue, IssueComment } from './models/issue-models.js';
import { PullRequest } from './models/pull-models.js';
import { ReviewComment } from './models/review-models.js';

/** Where a feed was read up to: rows at or after `since` come again, so the reader keeps one row per thing. */
export type FeedPosition = { since: string | null; etag: string | null };

export type Feeds = ReturnType<typeof createFeeds>;

/**
 * One conditional request per feed, whatever the number of issues and pull requests. With nothing new it is answered
 * 304, which costs nothing of the rate limit; that needs the very same URL, so the caller keeps `since` fixed.
 */
export function createFeeds(requests: Requests) {
  const readPages = async <Row>(path: string, page: z.ZodType<Row[]>, query: Query, etag: string | null) => {
    const first = await requests.getIfChanged(path, page, { query, etag });
    return first === undefined ? undefined : await followPages(requests, first, page);
  };

  const readSince = async <Row extends Stamped>(
    path: string,
    row: z.ZodType<Row>,
    { since, etag }: FeedPosition,
    filter: Query = {},
  ): Promise<FeedPage<Row>> => {
    const page = z.array(row);
    const query = { ...filter, ...NEWEST_FIRST, since: since ?? undefined };
    const pages = await readPages(path, page, query, etag);
    if (pages === undefined) return { kind: 'unchanged' };
    if (!(await havePagesMoved(requests, { path, query }, page, pages))) return toFeedPage(pages);
    // Not until they stand still, which a busy repository never does: what slips through once hardly does so twice.
    const again = (await readPages(path, page, query, null)) ?? [];
    const { rows, etag: latest } = toFeedPage([...again, ...pages]);
    return {
      kind: 'changed',
      rows: keepOnePer(({ url }) => url, rows.reverse()).sort(byNewest),
      etag: latest,
    };
  };

  return {
    /** Issues and pull requests, open and closed: labels, titles, bodies, closings. */
    fetchIssuesFeed: (repo: string, position: FeedPosition) =>
      readSince(`/repos/${repo}/issues`, Issue, position, { state: 'all' }),

    /** Comments on issues and on the conversation of pull requests. */
    fetchIssueCommentsFeed: (repo: string, position: FeedPosition) =>
      readSince(`/repos/${repo}/issues/comments`, IssueComment, position),

    /** Comments on lines of pull requests, replies among them. */
    fetchReviewCommentsFeed: (repo: string, position: FeedPosition) =>
      readSince(`/repos/${repo}/pulls/comments`, ReviewComment, position),

    /**
     * All open pull requests: GitHub has no `since` for them. One that is missing may be closed, or have slipped between
     * two pages: ask for it alone. Behind the first hundred a closing leaves the first page as it is, and so goes
     * unnoticed until the next change; the issues feed has it at once.
     */
    async fetchPullsFeed(repo: string, { etag }: { etag: string | null }): Promise<FeedPage<PullRequest>> {
      const query = { state: 'open', ...NEWEST_FIRST };
      const pages = await readPages(`/repos/${repo}/pulls`, z.array(PullRequest), query, etag);
      return pages === undefined ? { kind: 'unchanged' } : toFeedPage(pages);
    },
  };
}

type Stamped = { url: string; updatedAt: string };

const NEWEST_FIRST = { sort: 'updated', direction: 'desc', per_page: 100 };

const byNewest = (a: Stamped, b: Stamped) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt);

function toFeedPage<Row>(pages: readonly Answer<Row[]>[]) {
  const rows = pages.flatMap(({ data }) => data);
  return { kind: 'changed' as const, rows, etag: pages[0]?.etag ?? null };
}
