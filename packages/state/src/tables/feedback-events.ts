import { buildEventKey, type EventKind, type Remark } from '@mergexo/core/feedback';
import type { SkipReason } from '@mergexo/core/reasons';
import { and, asc, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { feedbackEvents } from '../schema/index.js';

export type FeedbackEvent = typeof feedbackEvents.$inferSelect;
export type FeedbackEvents = ReturnType<typeof createFeedbackEvents>;

const pending = isNull(feedbackEvents.processedAt);

export function createFeedbackEvents(db: Drizzle) {
  const onThread = (repoId: number, thread: number) =>
    and(eq(feedbackEvents.repoId, repoId), eq(feedbackEvents.prNumber, thread));
  const byKey = (repoId: number, eventKey: string) =>
    and(eq(feedbackEvents.repoId, repoId), eq(feedbackEvents.eventKey, eventKey));
  const { readLast, listPending, listUnclaimed } = prepareQueries(db);

  return {
    /**
     * Records each version of a comment once, as skipped if there is a reason. Returns false if the version was already
     * recorded.
     */
    recordFeedbackEvent(
      event: { repoId: number; issueNumber: number; remark: Remark; skipReason: SkipReason | null },
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

    /** Returns the newest recorded version of a comment. */
    readLastEventOfComment(
      repoId: number,
      comment: { thread: number; kind: EventKind; commentId: number },
    ): FeedbackEvent | undefined {
      return readLast.get({ repoId, ...comment });
    },

    readFeedbackEvent(repoId: number, eventKey: string): FeedbackEvent | undefined {
      return db.select().from(feedbackEvents).where(byKey(repoId, eventKey)).get();
    },

    /** Lists the pending events of a repository, oldest first. */
    listPendingEvents(repoId: number): FeedbackEvent[] {
      return listPending.all({ repoId });
    },

    /** Lists pending events that no turn has claimed. */
    listUnclaimedEvents(repoId: number, thread: number): FeedbackEvent[] {
      return listUnclaimed.all({ repoId, thread });
    },

    /** Lists every recorded event of a thread, in any state. */
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

    /** Makes events pending again when their skip reason no longer applies. */
    reviveEvents(repoId: number, thread: number, skipReason: SkipReason): void {
      const facts = Object.entries(skipReason).map(
        ([key, value]) => sql`json_extract(${feedbackEvents.skipReason}, ${`$.${key}`}) = ${value}`,
      );
      db.update(feedbackEvents)
        .set({ processedAt: null, skipReason: null, turnKey: null })
        .where(and(onThread(repoId, thread), ...facts))
        .run();
    },

    /** Makes an event pending again when its skip reason no longer applies. */
    reviveEvent(repoId: number, eventKey: string): void {
      db.update(feedbackEvents)
        .set({ processedAt: null, skipReason: null, turnKey: null })
        .where(and(byKey(repoId, eventKey), isNotNull(feedbackEvents.skipReason)))
        .run();
    },

    /** Releases events whose turn ended without answering them, so that another turn can answer them. */
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
      skipReason: SkipReason | null = null,
    ): void {
      db.update(feedbackEvents)
        .set({ processedAt: now, skipReason })
        .where(and(byKey(event.repoId, event.eventKey), pending))
        .run();
    },
  };
}

/** Prepares the queries once, because they run for every pull request in every poll. */
function prepareQueries(db: Drizzle) {
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
  return { readLast, listPending, listUnclaimed };
}
