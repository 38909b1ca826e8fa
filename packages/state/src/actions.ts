import { and, count, eq, inArray } from 'drizzle-orm';
import type { Drizzle } from './open-database.js';
import { actions } from './schema/index.js';

export type Actions = ReturnType<typeof createActions>;

export function createActions(db: Drizzle) {
  return {
    /** A turn is done only when this is zero: confirmed, refused for good, or a tombstone. */
    countUnsettledActions(turnKey: string): number {
      const unsettled = and(eq(actions.turnKey, turnKey), inArray(actions.state, ['planned', 'sending']));
      return db.select({ n: count() }).from(actions).where(unsettled).get()?.n ?? 0;
    },
  };
}
