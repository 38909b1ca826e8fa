import type { Action } from '@mergexo/core';
import { and, asc, count, eq, getTableColumns, inArray } from 'drizzle-orm';
import type { Drizzle } from './open-database.js';
import { actions } from './schema/index.js';

export type Actions = ReturnType<typeof createActions>;

export function createActions(db: Drizzle) {
  const {
    token: _token,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    ...columns
  } = getTableColumns(actions);

  return {
    recordActions(planned: readonly Action[], now: number): void {
      for (const action of planned) {
        db.insert(actions)
          .values({ ...action, createdAt: now, updatedAt: now })
          .onConflictDoNothing()
          .run();
      }
    },

    /** With the token of the words that are being sent, for the logs and for whoever looks for them on GitHub. */
    saveAction(action: Action, now: number, token?: string): void {
      const { id, ...fields } = action;
      db.update(actions)
        .set({ ...fields, updatedAt: now, ...(token !== undefined && { token }) })
        .where(eq(actions.id, id))
        .run();
    },

    listActionsOfTurn(turnKey: string): Action[] {
      return db
        .select(columns)
        .from(actions)
        .where(eq(actions.turnKey, turnKey))
        .orderBy(asc(actions.position))
        .all();
    },

    /** In the order in which each thread's are to be sent. */
    listUnsettledActions(): Action[] {
      return db
        .select(columns)
        .from(actions)
        .where(inArray(actions.state, ['planned', 'sending']))
        .orderBy(asc(actions.repoId), asc(actions.thread), asc(actions.createdAt), asc(actions.position))
        .all();
    },

    /** A turn is done only when this is zero: confirmed, refused for good, or a tombstone. */
    countUnsettledActions(turnKey: string): number {
      const unsettled = and(eq(actions.turnKey, turnKey), inArray(actions.state, ['planned', 'sending']));
      return db.select({ n: count() }).from(actions).where(unsettled).get()?.n ?? 0;
    },
  };
}
