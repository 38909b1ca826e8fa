import { and, eq } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { issueCommentCursors, prePrFollowupState } from '../schema/index.js';

export type FollowupState = typeof prePrFollowupState.$inferSelect;
export type CommentCursors = Pick<
  typeof issueCommentCursors.$inferSelect,
  'prePrLastConsumedCommentId' | 'postPrLastRedirectedCommentId'
>;
export type Followups = ReturnType<typeof createFollowups>;

/**
 * Stores runs that are waiting for a comment before they have a pull request, and the read position in each issue's
 * comments.
 */
export function createFollowups(db: Drizzle) {
  const ofIssue = (repoId: number, issueNumber: number) =>
    and(eq(prePrFollowupState.repoId, repoId), eq(prePrFollowupState.issueNumber, issueNumber));

  return {
    readFollowup(repoId: number, issueNumber: number): FollowupState | undefined {
      return db.select().from(prePrFollowupState).where(ofIssue(repoId, issueNumber)).get();
    },

    saveFollowup(followup: Omit<FollowupState, 'updatedAt'>, now: number): void {
      const row = { ...followup, updatedAt: now };
      const target = [prePrFollowupState.repoId, prePrFollowupState.issueNumber];
      db.insert(prePrFollowupState).values(row).onConflictDoUpdate({ target, set: row }).run();
    },

    deleteFollowup(repoId: number, issueNumber: number): void {
      db.delete(prePrFollowupState).where(ofIssue(repoId, issueNumber)).run();
    },

    readCommentCursors(repoId: number, issueNumber: number): CommentCursors {
      const found = db
        .select()
        .from(issueCommentCursors)
        .where(and(eq(issueCommentCursors.repoId, repoId), eq(issueCommentCursors.issueNumber, issueNumber)))
        .get();
      return found ?? { prePrLastConsumedCommentId: 0, postPrLastRedirectedCommentId: 0 };
    },

    /** Moves comment cursors forward, but never back. */
    moveCommentCursors(
      { repoId, issueNumber }: { repoId: number; issueNumber: number },
      to: Partial<CommentCursors>,
      now: number,
    ): void {
      const known = this.readCommentCursors(repoId, issueNumber);
      const row = {
        repoId,
        issueNumber,
        prePrLastConsumedCommentId: Math.max(
          known.prePrLastConsumedCommentId,
          to.prePrLastConsumedCommentId ?? 0,
        ),
        postPrLastRedirectedCommentId: Math.max(
          known.postPrLastRedirectedCommentId,
          to.postPrLastRedirectedCommentId ?? 0,
        ),
        updatedAt: now,
      };
      const target = [issueCommentCursors.repoId, issueCommentCursors.issueNumber];
      db.insert(issueCommentCursors).values(row).onConflictDoUpdate({ target, set: row }).run();
    },
  };
}
