import type { NotifyChannel } from '@mergexo/core/notices';
import { and, asc, eq, gt, inArray, max, notInArray } from 'drizzle-orm';
import type { Drizzle } from '../../open-database.js';
import { notifyChannels, runtimeEvents } from '../../schema/index.js';

export type NotifyCursor = typeof notifyChannels.$inferSelect;
export type Notify = ReturnType<typeof createNotify>;

/** What each notification channel has delivered. */
export function createNotify(db: Drizzle) {
  const readLastEventId = (): number =>
    db
      .select({ id: max(runtimeEvents.id) })
      .from(runtimeEvents)
      .get()?.id ?? 0;

  return {
    readLastEventId,

    /** Lists the oldest events of these types after `id`, with the names that a notification shows. */
    listEventsOfTypes(types: readonly string[], id: number, limit: number) {
      return db
        .select()
        .from(runtimeEvents)
        .where(and(gt(runtimeEvents.id, id), inArray(runtimeEvents.type, [...types])))
        .orderBy(asc(runtimeEvents.id))
        .limit(limit)
        .all();
    },

    /** Returns the position of a channel. A new channel starts at the latest event, so that it gets no old news. */
    openNotifyChannel(channel: NotifyChannel): NotifyCursor {
      const known = db.select().from(notifyChannels).where(eq(notifyChannels.channel, channel)).get();
      if (known !== undefined) return known;
      return db.insert(notifyChannels).values({ channel, eventId: readLastEventId() }).returning().get();
    },

    saveNotifyChannel({ channel, ...cursor }: NotifyCursor): void {
      db.update(notifyChannels).set(cursor).where(eq(notifyChannels.channel, channel)).run();
    },

    /** Forgets channels that are no longer configured. */
    keepNotifyChannels(channels: readonly NotifyChannel[]): void {
      db.delete(notifyChannels)
        .where(notInArray(notifyChannels.channel, [...channels]))
        .run();
    },
  };
}
