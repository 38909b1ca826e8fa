import type { RuntimeEvent } from '@mergexo/core';
import { and, asc, eq, gt, lt } from 'drizzle-orm';
import type { Drizzle } from './open-database.js';
import { runtimeEvents } from './schema/index.js';

export type RuntimeEvents = ReturnType<typeof createRuntimeEvents>;

export function createRuntimeEvents(db: Drizzle) {
  return {
    recordEvent(event: RuntimeEvent, now: number): void {
      const { payload = {}, ...fields } = event;
      db.insert(runtimeEvents)
        .values({ ...fields, payload, createdAt: now })
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

    /** Heartbeats are worth a day; everything else is history and stays. */
    forgetHeartbeatsBefore(time: number): void {
      db.delete(runtimeEvents)
        .where(and(eq(runtimeEvents.type, 'worker_heartbeat'), lt(runtimeEvents.createdAt, time)))
        .run();
    },
  };
}
