import { failpoint } from '@mergexo/core/basics';
import type { FeedPage, FeedPosition } from '@mergexo/github';
import type { FeedName, State } from '@mergexo/state';
import type { Repo } from '../tools.js';

export type Feed<Row> = {
  name: FeedName;
  fetch: (fullName: string, position: FeedPosition) => Promise<FeedPage<Row>>;
  /** Called inside the transaction that moves the cursor. */
  apply: (rows: readonly Row[]) => void;
};

type Tools = { state: State; now: () => number; overlapMs: number };

export async function readFeed<Row extends { updatedAt: string }>(
  tools: Tools,
  repo: Repo,
  feed: Feed<Row>,
): Promise<void> {
  const apply = await fetchFeed(tools, repo, feed);
  apply();
}

/**
 * Answers with what takes the rows in. Rows and cursor move together: a crash between them would lose a comment, or read it
 * for ever.
 */
export async function fetchFeed<Row extends { updatedAt: string }>(
  { state, now, overlapMs }: Tools,
  repo: Repo,
  feed: Feed<Row>,
): Promise<() => void> {
  const { cursor, etag } = state.readFeed(repo.id, feed.name) ?? { cursor: null, etag: null };
  const page = await feed.fetch(repo.config.fullName, { since: cursor, etag });
  if (page.kind === 'unchanged') return () => {};
  failpoint('poller:feed-read');
  const next = computeNextCursor(cursor, page.rows, overlapMs);
  return () => {
    state.transaction(() => {
      feed.apply(page.rows);
      // Another `since` is another URL, whose ETag is not known yet.
      state.saveFeed(repo.id, feed.name, { cursor: next, etag: next === cursor ? page.etag : null }, now());
    });
    failpoint('poller:cursor-moved');
  };
}

/** Behind the newest row by the overlap, so that rows which appear late are still read; never backwards. */
export function computeNextCursor(
  cursor: string | null,
  rows: readonly { updatedAt: string }[],
  overlapMs: number,
): string | null {
  const newest = Math.max(...rows.map(({ updatedAt }) => Date.parse(updatedAt)));
  if (!Number.isFinite(newest)) return cursor;
  const candidate = new Date(newest - overlapMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return cursor === null || candidate > cursor ? candidate : cursor;
}
