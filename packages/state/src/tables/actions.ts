import type { Action } from '@mergexo/core/actions';
import type { Redact } from '@mergexo/core/text';
import { and, asc, count, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { actions } from '../schema/index.js';

export type Actions = ReturnType<typeof createActions>;

const UNSETTLED = ['planned', 'sending'] as const;

export function createActions(db: Drizzle, redact: Redact) {
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
      const error = action.error && redact(action.error);
      db.update(actions)
        .set({ ...fields, error, updatedAt: now, ...(token !== undefined && { token }) })
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

    readActionByRemoteId(
      repoId: number,
      kinds: readonly Action['kind'][],
      remoteId: number,
    ): Action | undefined {
      return db
        .select(columns)
        .from(actions)
        .where(
          and(eq(actions.repoId, repoId), eq(actions.remoteId, remoteId), inArray(actions.kind, [...kinds])),
        )
        .get();
    },

    readAction(id: string): Action | undefined {
      return db.select(columns).from(actions).where(eq(actions.id, id)).get();
    },

    readActionByToken(token: string): Action | undefined {
      return db.select(columns).from(actions).where(eq(actions.token, token)).get();
    },

    /** Newest first. */
    listActionsOfThread(repoId: number, thread: number, limit: number): Action[] {
      return db
        .select(columns)
        .from(actions)
        .where(and(eq(actions.repoId, repoId), eq(actions.thread, thread)))
        .orderBy(desc(actions.createdAt), desc(actions.position))
        .limit(limit)
        .all();
    },

    hasUnsettledActions(repoId: number, thread: number): boolean {
      const where = and(
        eq(actions.repoId, repoId),
        eq(actions.thread, thread),
        inArray(actions.state, [...UNSETTLED]),
      );
      return (db.select({ n: count() }).from(actions).where(where).get()?.n ?? 0) > 0;
    },

    /** In the order in which each thread's are to be sent. */
    listUnsettledActions(): Action[] {
      return db
        .select(columns)
        .from(actions)
        .where(inArray(actions.state, [...UNSETTLED]))
        .orderBy(
          asc(actions.repoId),
          asc(actions.thread),
          asc(actions.createdAt),
          asc(actions.position),
          sql`rowid`,
        )
        .all();
    },

    /** A turn is done only when this is zero: confirmed, refused for good, or a tombstone. */
    countUnsettledActions(turnKey: string): number {
      const unsettled = and(eq(actions.turnKey, turnKey), inArray(actions.state, [...UNSETTLED]));
      return db.select({ n: count() }).from(actions).where(unsettled).get()?.n ?? 0;
    },
  };
}
