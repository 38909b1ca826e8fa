import { and, asc, eq, like } from 'drizzle-orm';
import type { Drizzle } from './open-database.js';
import { pollCursors } from './schema/index.js';

export type Cursor = { cursor: string | null; etag: string | null };
export type Cursors = ReturnType<typeof createCursors>;

export function createCursors(db: Drizzle) {
  return {
    readCursor(repoId: number, feed: string): Cursor | undefined {
      return db
        .select({ cursor: pollCursors.cursor, etag: pollCursors.etag })
        .from(pollCursors)
        .where(and(eq(pollCursors.repoId, repoId), eq(pollCursors.feed, feed)))
        .get();
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
      db.insert(pollCursors)
        .values({ repoId, feed, cursor, etag, updatedAt: now })
        .onConflictDoUpdate({
          target: [pollCursors.repoId, pollCursors.feed],
          set: { cursor, etag, updatedAt: now },
        })
        .run();
    },
  };
}
