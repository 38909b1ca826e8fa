import { and, eq, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { type FEED_NAMES, feeds } from '../schema/index.js';

export type FeedName = (typeof FEED_NAMES)[number];
export type StoredFeed = { cursor: string | null; etag: string | null };
export type Feeds = ReturnType<typeof createFeeds>;

export function createFeeds(db: Drizzle) {
  const read = db
    .select({ cursor: feeds.cursor, etag: feeds.etag })
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
      updatedAt: sql.placeholder('updatedAt'),
    })
    .onConflictDoUpdate({
      target: [feeds.repoId, feeds.name],
      set: { cursor: sql`excluded.cursor`, etag: sql`excluded.etag`, updatedAt: sql`excluded.updated_at` },
    })
    .prepare();

  return {
    /** Undefined for a feed that was never read. */
    readFeed(repoId: number, name: FeedName): StoredFeed | undefined {
      return read.get({ repoId, name });
    },

    /** In the same transaction as the rows that it was read past. */
    saveFeed(repoId: number, name: FeedName, { cursor, etag }: StoredFeed, now: number): void {
      save.run({ repoId, name, cursor, etag, updatedAt: now });
    },
  };
}
