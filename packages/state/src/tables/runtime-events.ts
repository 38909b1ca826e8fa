import { type Redact, redactStrings } from '@mergexo/core/text';
import type { RuntimeEvent, RuntimeEventType } from '@mergexo/core/timeline';
import { and, asc, between, count, desc, eq, gt, inArray, lt, notInArray, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { runtimeEvents } from '../schema/index.js';

export type RuntimeEvents = ReturnType<typeof createRuntimeEvents>;

/** Frequent events, which are deleted after a while. */
const ROUTINE: RuntimeEventType[] = ['worker_heartbeat', 'turn_progress'];

export function createRuntimeEvents(db: Drizzle, redact: Redact) {
  // Prepared, because they run every second.
  const readLastId = db
    .select({ id: runtimeEvents.id })
    .from(runtimeEvents)
    .orderBy(desc(runtimeEvents.id))
    .limit(1)
    .prepare();
  const findDecision = db
    .select({ id: runtimeEvents.id })
    .from(runtimeEvents)
    .where(and(gt(runtimeEvents.id, sql.placeholder('id')), notInArray(runtimeEvents.type, ROUTINE)))
    .limit(1)
    .prepare();

  return {
    recordEvent(event: RuntimeEvent, now: number): void {
      const { payload = {}, ...fields } = event;
      db.insert(runtimeEvents)
        .values({ ...fields, payload: redactStrings(payload, redact), createdAt: now })
        .run();
    },

    listEventsAfter(id: number, limit: number) {
      return db
        .select()
        .from(runtimeEvents)
        .where(gt(runtimeEvents.id, id))
        .orderBy(asc(runtimeEvents.id))
        .limit(limit)
        .all();
    },

    listEventsOfTurn(turnKey: string) {
      return db
        .select()
        .from(runtimeEvents)
        .where(eq(runtimeEvents.turnKey, turnKey))
        .orderBy(asc(runtimeEvents.id))
        .all();
    },

    listEventsOfIssue(repoId: number, issueNumber: number) {
      return db
        .select()
        .from(runtimeEvents)
        .where(and(eq(runtimeEvents.repoId, repoId), eq(runtimeEvents.issueNumber, issueNumber)))
        .orderBy(asc(runtimeEvents.id))
        .all();
    },

    readLastEventOfIssue(repoId: number, issueNumber: number, type: RuntimeEventType) {
      const where = and(
        eq(runtimeEvents.repoId, repoId),
        eq(runtimeEvents.issueNumber, issueNumber),
        eq(runtimeEvents.type, type),
      );
      return db.select().from(runtimeEvents).where(where).orderBy(desc(runtimeEvents.id)).limit(1).get();
    },

    /** The id of the newest event. */
    readLastEventId: (): number => readLastId.get()?.id ?? 0,

    /** True if an event after this one may change what MergeXO does next. Heartbeats and agent activity do not. */
    hasDecisionAfter: (id: number): boolean => findDecision.get({ id }) !== undefined,

    countEventsOfPull(repoId: number, prNumber: number, type: RuntimeEventType): number {
      const where = and(
        eq(runtimeEvents.repoId, repoId),
        eq(runtimeEvents.prNumber, prNumber),
        eq(runtimeEvents.type, type),
      );
      return db.select({ n: count() }).from(runtimeEvents).where(where).get()?.n ?? 0;
    },

    /** Lists the payloads of a type's events in a short time. */
    listPayloadsBetween(type: RuntimeEventType, { from, to }: { from: number; to: number }): unknown[] {
      return db
        .select({ payload: runtimeEvents.payload })
        .from(runtimeEvents)
        .where(and(eq(runtimeEvents.type, type), between(runtimeEvents.createdAt, from, to)))
        .all()
        .map(({ payload }) => payload);
    },

    /** Deletes old heartbeats and agent activity. `forgetOldEvents` deletes other events later. */
    forgetHeartbeatsBefore(time: number): void {
      db.delete(runtimeEvents)
        .where(and(inArray(runtimeEvents.type, ROUTINE), lt(runtimeEvents.createdAt, time)))
        .run();
    },
  };
}
