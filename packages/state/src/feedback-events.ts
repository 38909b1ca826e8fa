import { and, asc, eq, isNull } from 'drizzle-orm';
import type { Drizzle } from './open-database.js';
import { feedbackEvents } from './schema/index.js';

export type FeedbackEvent = typeof feedbackEvents.$inferSelect;
export type NewFeedbackEvent = Omit<
  FeedbackEvent,
  'seenAt' | 'createdAt' | 'processedAt' | 'turnKey' | 'skipReason'
>;
export type FeedbackEvents = ReturnType<typeof createFeedbackEvents>;

export function createFeedbackEvents(db: Drizzle) {
  return {
    /** One row per comment and edit, however often it is read. */
    recordFeedbackEvent(event: NewFeedbackEvent, now: number): void {
      db.insert(feedbackEvents)
        .values({ ...event, seenAt: now, createdAt: now })
        .onConflictDoNothing()
        .run();
    },

    /** Oldest first. */
    listPendingEvents(repoId: number): FeedbackEvent[] {
      return db
        .select()
        .from(feedbackEvents)
        .where(and(eq(feedbackEvents.repoId, repoId), isNull(feedbackEvents.processedAt)))
        .orderBy(asc(feedbackEvents.commentId))
        .all();
    },

    markEventProcessed(
      event: Pick<FeedbackEvent, 'repoId' | 'eventKey'>,
      now: number,
      skipReason: string | null = null,
    ): void {
      db.update(feedbackEvents)
        .set({ processedAt: now, skipReason })
        .where(and(eq(feedbackEvents.repoId, event.repoId), eq(feedbackEvents.eventKey, event.eventKey)))
        .run();
    },
  };
}
