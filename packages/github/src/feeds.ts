import { z } from 'zod';
import {
  type FeedPage,
  havePagesMoved,
  keepOnePer,
  NEWEST_FIRST,
  readFeed,
  readPagesSince,
  toFeedPage,
} from './http/pages.js';
import type { Requests } from './http/requests.js';
import { keyOf, type Memory } from './memory/create-memory.js';
import { versionOf } from './memory/freshness.js';
import { Issue, IssueComment } from './models/issue-models.js';
import { PullRequest } from './models/pull-models.js';
import { ReviewComment } from './models/review-models.js';

/** The position up to which a feed was read. Rows at or after `since` are returned again, so callers deduplicate. */
export type FeedPosition = { since: string | null; etag: string | null };

/**
 * Reads each feed with one conditional request, for any number of issues and pull requests. GitHub returns 304 for an
 * unchanged feed, which does not count against the rate limit. A 304 needs the same URL, so the caller keeps `since`
 * fixed.
 */
export function createFeeds(requests: Requests, memory: Memory) {
  const readSince = async <Row extends Stamped>(
    path: string,
    row: z.ZodType<Row>,
    { since, etag, ...filter }: FeedPosition & { state?: string },
  ): Promise<FeedPage<Row>> => {
    const query = { ...filter, ...NEWEST_FIRST, since: since ?? undefined };
    const list = { path, page: z.array(row), query };
    const pages = await readPagesSince(requests, list, etag);
    if (pages === undefined) return { kind: 'unchanged' };
    if (!(await havePagesMoved(requests, list, pages))) return toFeedPage(pages);
    // The feed is read only once more: a row is unlikely to be missed twice, and the pages of a busy repository never
    // stop moving.
    const again = (await readPagesSince(requests, list, null)) ?? [];
    const { rows, etag: latest } = toFeedPage([...again, ...pages]);
    return {
      kind: 'changed',
      rows: keepOnePer(({ url }) => url, rows.reverse()).sort(byNewest),
      etag: latest,
    };
  };

  return {
    /** Returns open and closed issues and pull requests, with their labels, titles, bodies and states. */
    async fetchIssuesFeed(repo: string, position: FeedPosition): Promise<FeedPage<Issue>> {
      const startedAt = memory.now();
      const page = await readSince(`/repos/${repo}/issues`, Issue, { ...position, state: 'all' });
      memory.noteFeedRead(repo, startedAt);
      if (page.kind === 'unchanged') return page;
      const rows = memory.freshness.dropOutdated(page.rows, (issue) => versionOf.issue(repo, issue));
      for (const issue of rows) memory.keepIssue(repo, issue, startedAt);
      return { ...page, rows };
    },

    /** Returns comments on issues and in the conversations of pull requests. */
    async fetchIssueCommentsFeed(repo: string, position: FeedPosition): Promise<FeedPage<IssueComment>> {
      const page = await readSince(`/repos/${repo}/issues/comments`, IssueComment, position);
      for (const comment of rowsOf(page))
        if (memory.comments.upsert(keyOf(repo, comment.thread), comment))
          memory.forgetPull(repo, comment.thread);
      return page;
    },

    /** Returns comments on lines of pull requests, including replies. */
    async fetchReviewCommentsFeed(repo: string, position: FeedPosition): Promise<FeedPage<ReviewComment>> {
      const page = await readSince(`/repos/${repo}/pulls/comments`, ReviewComment, position);
      for (const line of rowsOf(page))
        if (memory.lines.upsert(keyOf(repo, line.pullNumber), line)) memory.forgetPull(repo, line.pullNumber);
      return page;
    },

    /**
     * Returns all open pull requests, because GitHub has no `since` for pull requests. If a known pull
     * request is missing, fetch it separately: it was closed, it moved to another page during the read, or
     * its row was outdated. Every row contains the repository's number of open issues, so closing a pull
     * request changes the first page and its ETag.
     */
    async fetchPullsFeed(repo: string, { etag }: { etag: string | null }): Promise<FeedPage<PullRequest>> {
      const query = { state: 'open', ...NEWEST_FIRST };
      const list = { path: `/repos/${repo}/pulls`, page: z.array(PullRequest), query };
      const page = await readFeed(requests, list, etag);
      if (page.kind === 'unchanged') return page;
      const rows = page.rows.filter((pull) => {
        const version = versionOf.pull(repo, pull);
        if (memory.freshness.note(version)) memory.forgetPull(repo, pull.number);
        return !memory.freshness.isOutdated(version);
      });
      return { ...page, rows };
    },
  };
}

function rowsOf<Row>(page: FeedPage<Row>): readonly Row[] {
  return page.kind === 'changed' ? page.rows : [];
}

type Stamped = { url: string; updatedAt: string };

const byNewest = (a: Stamped, b: Stamped) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt);
