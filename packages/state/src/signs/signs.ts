import { and, eq, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { reactions, statusComments } from '../schema/index.js';

export type StoredReaction = typeof reactions.$inferSelect;
export type StatusComment = typeof statusComments.$inferSelect;
export type Signs = ReturnType<typeof createSigns>;

/** Stores the signs that GitHub shows: MergeXO's reactions and the status comments. */
export function createSigns(db: Drizzle) {
  const ofSubject = ({ repoId, kind, subjectId }: Pick<StoredReaction, 'repoId' | 'kind' | 'subjectId'>) =>
    and(eq(reactions.repoId, repoId), eq(reactions.kind, kind), eq(reactions.subjectId, subjectId));
  // The literal lets SQLite use the partial index.
  const listOpen = db
    .select()
    .from(reactions)
    .where(and(eq(reactions.repoId, sql.placeholder('repoId')), sql`${reactions.open} = 1`))
    .prepare();
  const listOpenComments = db
    .select()
    .from(statusComments)
    .where(and(eq(statusComments.repoId, sql.placeholder('repoId')), sql`${statusComments.open} = 1`))
    .prepare();
  const readComment = db
    .select()
    .from(statusComments)
    .where(
      and(
        eq(statusComments.repoId, sql.placeholder('repoId')),
        eq(statusComments.issueNumber, sql.placeholder('issueNumber')),
      ),
    )
    .prepare();

  return {
    readReaction(subject: Pick<StoredReaction, 'repoId' | 'kind' | 'subjectId'>): StoredReaction | undefined {
      return db.select().from(reactions).where(ofSubject(subject)).get();
    },

    saveReaction(row: StoredReaction): void {
      const { repoId, kind, subjectId } = reactions;
      db.insert(reactions)
        .values(row)
        .onConflictDoUpdate({ target: [repoId, kind, subjectId], set: row })
        .run();
    },

    /** Lists the reactions that can still change. */
    listOpenReactions: (repoId: number): StoredReaction[] => listOpen.all({ repoId }),

    readStatusComment: (repoId: number, issueNumber: number): StatusComment | undefined =>
      readComment.get({ repoId, issueNumber }),

    saveStatusComment(row: StatusComment): void {
      const { repoId, issueNumber } = statusComments;
      db.insert(statusComments)
        .values(row)
        .onConflictDoUpdate({ target: [repoId, issueNumber], set: row })
        .run();
    },

    listOpenStatusComments: (repoId: number): StatusComment[] => listOpenComments.all({ repoId }),
  };
}
