import { buildEventKey, type EventKind, type Remark } from '@mergexo/core/feedback';
import { and, asc, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { feedbackEvents } from '../schema/index.js';

export type FeedbackEvent = typeof feedbackEvents.$inferSelect;
export type FeedbackEvents = ReturnType<typeof createFeedbackEvents>;

export function createFeedbackEvents(db: Drizzle) {
  const onThread = (repoId: number, thread: number) =>
    and(eq(feedbackEvents.repoId, repoId), eq(feedbackEvents.prNumber, thread));
  const byKey = (repoId: number, eventKey: string) =>
    and(eq(feedbackEvents.repoId, repoId), eq(feedbackEvents.eventKey, eventKey));
  const pending = isNull(feedbackEvents.processedAt);
  const inRepo = eq(feedbackEvents.repoId, sql.placeholder('repoId'));
  const inThread = and(inRepo, eq(feedbackEvents.prNumber, sql.placeholder('thread')));
  const readLast = db
    .select()
    .from(feedbackEvents)
    .where(
      and(
        inThread,
        eq(feedbackEvents.kind, sql.placeholder('kind')),
        eq(feedbackEvents.commentId, sql.placeholder('commentId')),
      ),
    )
    .orderBy(desc(feedbackEvents.seenAt), desc(feedbackEvents.updatedAt))
    .limit(1)
    .prepare();
  const listPending = db
    .select()
    .from(feedbackEvents)
    .where(and(inRepo, pending))
    .orderBy(asc(feedbackEvents.createdAt), asc(feedbackEvents.commentId))
    .prepare();
  const listUnclaimed = db
    .select()
    .from(feedbackEvents)
    .where(and(inThread, pending, isNull(feedbackEvents.turnKey)))
    .orderBy(asc(feedbackEvents.createdAt), asc(feedbackEvents.commentId))
    .prepare();

  return {
    /** One row per comment and edit, however often it is read. With a reason it is recorded as skipped. */
    recordFeedbackEvent(
      event: { repoId: number; issueNumber: number; remark: Remark; skipReason: string | null },
      now: number,
    ): boolean {
      const { repoId, issueNumber, remark, skipReason } = event;
      const inserted = db
        .insert(feedbackEvents)
        .values({
          repoId,
          eventKey: buildEventKey(remark),
          prNumber: remark.thread,
          issueNumber,
          kind: remark.kind,
          commentId: remark.commentId,
          updatedAt: remark.updatedAt,
          payload: remark,
          skipReason,
          seenAt: now,
          createdAt: now,
          processedAt: skipReason === null ? null : now,
        })
        .onConflictDoNothing()
        .run();
      return inserted.changes === 1;
    },

    /** The text of a comment that we took in last. */
    readLastEventOfComment(
      repoId: number,
      comment: { thread: number; kind: EventKind; commentId: number },
    ): FeedbackEvent | undefined {
      return readLast.get({ repoId, ...comment });
    },

    readFeedbackEvent(repoId: number, eventKey: string): FeedbackEvent | undefined {
      return db.select().from(feedbackEvents).where(byKey(repoId, eventKey)).get();
    },

    /** Of a whole repository, oldest first. */
    listPendingEvents(repoId: number): FeedbackEvent[] {
      return listPending.all({ repoId });
    },

    /** Nobody is answering these yet. */
    listUnclaimedEvents(repoId: number, thread: number): FeedbackEvent[] {
      return listUnclaimed.all({ repoId, thread });
    },

    /** Everything that was ever said on a thread, as far as we read it. */
    listEventsOfThread(repoId: number, thread: number): FeedbackEvent[] {
      return db
        .select()
        .from(feedbackEvents)
        .where(onThread(repoId, thread))
        .orderBy(asc(feedbackEvents.createdAt), asc(feedbackEvents.commentId))
        .all();
    },

    listEventsOfFeedbackTurn(turnKey: string): FeedbackEvent[] {
      return db.select().from(feedbackEvents).where(eq(feedbackEvents.turnKey, turnKey)).all();
    },

    claimEvents(repoId: number, eventKeys: readonly string[], turnKey: string): void {
      for (const eventKey of eventKeys) {
        db.update(feedbackEvents)
          .set({ turnKey })
          .where(and(byKey(repoId, eventKey), pending))
          .run();
      }
    },

    /** They were given up for a reason that is gone. */
    reviveEvents(repoId: number, thread: number, skipReason: string): void {
      db.update(feedbackEvents)
        .set({ processedAt: null, skipReason: null, turnKey: null })
        .where(and(onThread(repoId, thread), eq(feedbackEvents.skipReason, skipReason)))
        .run();
    },

    /** It was given up for a reason that is gone, and waits again. */
    reviveEvent(repoId: number, eventKey: string): void {
      db.update(feedbackEvents)
        .set({ processedAt: null, skipReason: null, turnKey: null })
        .where(and(byKey(repoId, eventKey), isNotNull(feedbackEvents.skipReason)))
        .run();
    },

    /** Their turn ended without answering them: another one will. */
    unclaimEvents(repoId: number, eventKeys: readonly string[]): void {
      for (const eventKey of eventKeys) {
        db.update(feedbackEvents)
          .set({ turnKey: null })
          .where(and(byKey(repoId, eventKey), pending, isNotNull(feedbackEvents.turnKey)))
          .run();
      }
    },

    markEventProcessed(
      event: Pick<FeedbackEvent, 'repoId' | 'eventKey'>,
      now: number,
      skipReason: string | null = null,
    ): void {
      db.update(feedbackEvents)
        .set({ processedAt: now, skipReason })
        .where(and(byKey(event.repoId, event.eventKey), pending))
        .run();
    },
  };
}
