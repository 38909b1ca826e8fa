import { and, eq, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { type FEED_NAMES, feeds } from '../schema/index.js';

export type FeedName = (typeof FEED_NAMES)[number];
export type StoredFeed = { cursor: string | null; etag: string | null; recordedUpTo?: string | null };
export type Feeds = ReturnType<typeof createFeeds>;

export function createFeeds(db: Drizzle) {
  const read = db
    .select({ cursor: feeds.cursor, etag: feeds.etag, recordedUpTo: feeds.recordedUpTo })
    .from(feeds)
    .where(and(eq(feeds.repoId, sql.placeholder('repoId')), eq(feeds.name, sql.placeholder('name'))))
    .prepare();
  const save = db
    .insert(feeds)
    .values({
      repoId: sql.placeholder('repoId'),
      name: sql.placeholder('name'),
      cursor: sql.placeholder('cursor'),
      etag: sql.placeholder('etag'),
      recordedUpTo: sql.placeholder('recordedUpTo'),
      updatedAt: sql.placeholder('updatedAt'),
    })
    .onConflictDoUpdate({
      target: [feeds.repoId, feeds.name],
      set: {
        cursor: sql`excluded.cursor`,
        etag: sql`excluded.etag`,
        recordedUpTo: sql`excluded.recorded_up_to`,
        updatedAt: sql`excluded.updated_at`,
      },
    })
    .prepare();

  return {
    /** Returns the position of a feed; undefined if the feed was never read. */
    readFeed(repoId: number, name: FeedName): StoredFeed | undefined {
      return read.get({ repoId, name });
    },

    /** Saves the position of a feed. Call this in the transaction that stores the rows up to the cursor. */
    saveFeed(feed: { repoId: number; name: FeedName } & StoredFeed, now: number): void {
      save.run({ recordedUpTo: null, ...feed, updatedAt: now });
    },
  };
}
