import { failpoint } from '@mergexo/core/basics';
import type { FeedPage, FeedPosition } from '@mergexo/github';
import type { FeedName, State } from '@mergexo/state';
import type { Repo } from '../tools.js';

export type Feed<Row> = {
  name: FeedName;
  fetch: (fullName: string, position: FeedPosition) => Promise<FeedPage<Row>>;
  /** Called in the transaction that moves the cursor. */
  apply: (rows: readonly Row[]) => void;
};

/**
 * Only a page with more rows than this moves the cursor, because a moved cursor changes the URL, and the
 * first request for a new URL counts against the rate limit. Until the cursor moves, pages repeat earlier
 * rows, and `fetchFeed` drops the rows that it has already recorded.
 */
const MANY_ROWS = 20;
const NEVER = { cursor: null, etag: null, recordedUpTo: null };

type Tools = { state: State; now: () => number; overlapMs: number };

/**
 * Fetches a page. The returned function saves rows and cursor in one transaction, because a crash between two
 * transactions could lose comments or read them again.
 */
export async function fetchFeed<Row extends { updatedAt: string }>(
  { state, now, overlapMs }: Tools,
  repo: Repo,
  feed: Feed<Row>,
): Promise<() => void> {
  const { cursor, etag, recordedUpTo = null } = state.readFeed(repo.id, feed.name) ?? NEVER;
  const page = await feed.fetch(repo.config.fullName, { since: cursor, etag });
  if (page.kind === 'unchanged') return () => {};
  failpoint('poller:feed-read');
  const upTo = computeNextCursor(recordedUpTo ?? cursor, page.rows, overlapMs);
  const next = cursor === null || page.rows.length > MANY_ROWS ? upTo : cursor;
  const rows = page.rows.filter(({ updatedAt }) => recordedUpTo === null || updatedAt >= recordedUpTo);
  return () => {
    state.transaction(() => {
      feed.apply(rows);
      // A new cursor changes `since` and therefore the URL, so the old ETag does not apply.
      state.saveFeed(
        {
          repoId: repo.id,
          name: feed.name,
          cursor: next,
          etag: next === cursor ? page.etag : null,
          recordedUpTo: upTo,
        },
        now(),
      );
    });
    failpoint('poller:cursor-moved');
  };
}

/**
 * Returns a cursor that is older than the newest row by the overlap, so that late rows are read. Never moves the
 * cursor backwards.
 */
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
