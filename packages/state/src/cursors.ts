import { and, asc, eq, like, sql } from 'drizzle-orm';
import type { Drizzle } from './open-database.js';
import { pollCursors } from './schema/index.js';

export type Cursor = { cursor: string | null; etag: string | null };
export type Cursors = ReturnType<typeof createCursors>;

export function createCursors(db: Drizzle) {
  const read = db
    .select({ cursor: pollCursors.cursor, etag: pollCursors.etag })
    .from(pollCursors)
    .where(
      and(eq(pollCursors.repoId, sql.placeholder('repoId')), eq(pollCursors.feed, sql.placeholder('feed'))),
    )
    .prepare();
  const save = db
    .insert(pollCursors)
    .values({
      repoId: sql.placeholder('repoId'),
      feed: sql.placeholder('feed'),
      cursor: sql.placeholder('cursor'),
      etag: sql.placeholder('etag'),
      updatedAt: sql.placeholder('updatedAt'),
    })
    .onConflictDoUpdate({
      target: [pollCursors.repoId, pollCursors.feed],
      set: { cursor: sql`excluded.cursor`, etag: sql`excluded.etag`, updatedAt: sql`excluded.updated_at` },
    })
    .prepare();

  return {
    readCursor(repoId: number, feed: string): Cursor | undefined {
      return read.get({ repoId, feed });
    },

    /** Marks of work that is still to be done, by what their names begin with. */
    listCursorNames(repoId: number, prefix: string): string[] {
      return db
        .select({ feed: pollCursors.feed })
        .from(pollCursors)
        .where(and(eq(pollCursors.repoId, repoId), like(pollCursors.feed, `${prefix}%`)))
        .orderBy(asc(pollCursors.feed))
        .all()
        .map(({ feed }) => feed);
    },

    deleteCursor(repoId: number, feed: string): void {
      db.delete(pollCursors)
        .where(and(eq(pollCursors.repoId, repoId), eq(pollCursors.feed, feed)))
        .run();
    },

    /** In the same transaction as the rows that it was read past. */
    saveCursor(repoId: number, feed: string, { cursor, etag }: Cursor, now: number): void {
      save.run({ repoId, feed, cursor, etag, updatedAt: now });
    },
  };
}
