import { z } from 'zod';
import { Issue, IssueComment } from './models.js';
import type { Requests } from './request.js';

/** Where a feed was read up to: rows at or after `since` come again, so the reader keeps one row per thing. */
export type FeedPosition = { since: string | null; etag: string | null };

export type FeedPage<Row> = { kind: 'unchanged' } | { kind: 'changed'; rows: Row[]; etag: string | null };

export type Feeds = ReturnType<typeof createFeeds>;

/**
 * One conditional request per feed, whatever the number of issues and pull requests. With nothing new it is answered
 * 304, which costs nothing of the rate limit; that needs the very same URL, so the caller keeps `since` fixed.
 */
export function createFeeds(requests: Requests) {
  const read = async <S extends z.ZodType>(
    path: string,
    row: S,
    position: FeedPosition,
    query: Record<string, string>,
  ): Promise<FeedPage<z.infer<S>>> => {
    const first = await requests.getIfChanged(path, z.array(row), {
      query: {
        ...query,
        sort: 'updated',
        direction: 'desc',
        per_page: 100,
        since: position.since ?? undefined,
      },
      etag: position.etag,
    });
    if (first === undefined) return { kind: 'unchanged' };
    const rows = [...first.data];
    for (let next = first.next; next !== null; ) {
      const page = await requests.get(next, z.array(row));
      rows.push(...page.data);
      next = page.next;
    }
    return { kind: 'changed', rows, etag: first.etag };
  };

  return {
    /** Issues and pull requests, open and closed: labels, titles, bodies, closings. */
    fetchIssuesFeed: (repo: string, position: FeedPosition) =>
      read(`/repos/${repo}/issues`, Issue, position, { state: 'all' }),

    /** Comments on issues and on the conversation of pull requests. */
    fetchIssueCommentsFeed: (repo: string, position: FeedPosition) =>
      read(`/repos/${repo}/issues/comments`, IssueComment, position, {}),
  };
}
