import { type Action, ActionContent } from '@mergexo/core/actions';
import type { Redact } from '@mergexo/core/text';
import { and, asc, count, desc, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { actions } from '../schema/index.js';
import { isIn } from '../schema/is-in.js';

export type Actions = ReturnType<typeof createActions>;

const isUnsettled = isIn(actions.state, ['planned', 'sending']);

const { token: _token, createdAt: _createdAt, updatedAt: _updatedAt, ...columns } = getTableColumns(actions);

export function createActions(db: Drizzle, redact: Redact) {
  const select = () => db.select(columns).from(actions);
  type Row = ReturnType<ReturnType<typeof select>['all']>[number];
  const toAction = ({ kind, payload, ...fields }: Row): Action => ({
    ...fields,
    ...ActionContent.parse({ kind, payload }),
  });
  const readWhere = (where: SQL | undefined): Action | undefined =>
    select().where(where).limit(1).all().map(toAction)[0];
  const { findUnsettled, listUnsettled } = prepareQueries(db);

  return {
    recordActions(planned: readonly Action[], now: number): void {
      for (const action of planned) {
        db.insert(actions)
          .values({ ...action, createdAt: now, updatedAt: now })
          .onConflictDoNothing()
          .run();
      }
    },

    /** Saves an action. `token` identifies the post that is being sent, for the logs and for searches on GitHub. */
    saveAction(action: Action, now: number, token?: string): void {
      const { id, ...fields } = action;
      const error =
        action.error?.code === 'refused'
          ? { ...action.error, text: redact(action.error.text) }
          : action.error;
      db.update(actions)
        .set({ ...fields, error, updatedAt: now, ...(token !== undefined && { token }) })
        .where(eq(actions.id, id))
        .run();
    },

    listActionsOfTurn(turnKey: string): Action[] {
      return select().where(eq(actions.turnKey, turnKey)).orderBy(asc(actions.position)).all().map(toAction);
    },

    readActionByRemoteId(
      repoId: number,
      kinds: readonly Action['kind'][],
      remoteId: number,
    ): Action | undefined {
      return readWhere(
        and(eq(actions.repoId, repoId), eq(actions.remoteId, remoteId), inArray(actions.kind, [...kinds])),
      );
    },

    readAction(id: string): Action | undefined {
      return readWhere(eq(actions.id, id));
    },

    readActionByToken(token: string): Action | undefined {
      return readWhere(eq(actions.token, token));
    },

    /** Lists the actions of a thread, newest first. */
    listActionsOfThread(repoId: number, thread: number, limit: number): Action[] {
      return select()
        .where(and(eq(actions.repoId, repoId), eq(actions.thread, thread)))
        .orderBy(desc(actions.createdAt), desc(actions.position))
        .limit(limit)
        .all()
        .map(toAction);
    },

    hasUnsettledActions(repoId: number, thread: number): boolean {
      return findUnsettled.get({ repoId, thread }) !== undefined;
    },

    /** Lists all unsettled actions, in sending order within each thread. */
    listUnsettledActions(): Action[] {
      return listUnsettled.all().map(toAction);
    },

    /**
     * Counts the unsettled actions of a turn. A turn is done only at zero, because every action must be confirmed,
     * refused or dropped.
     */
    countUnsettledActions(turnKey: string): number {
      const unsettled = and(eq(actions.turnKey, turnKey), isUnsettled);
      return db.select({ n: count() }).from(actions).where(unsettled).get()?.n ?? 0;
    },
  };
}

/** Prepares the queries once, because they run every second. */
function prepareQueries(db: Drizzle) {
  const findUnsettled = db
    .select({ id: actions.id })
    .from(actions)
    .where(
      and(
        eq(actions.repoId, sql.placeholder('repoId')),
        eq(actions.thread, sql.placeholder('thread')),
        isUnsettled,
      ),
    )
    .limit(1)
    .prepare();
  const listUnsettled = db
    .select(columns)
    .from(actions)
    .where(isUnsettled)
    .orderBy(
      asc(actions.repoId),
      asc(actions.thread),
      asc(actions.createdAt),
      asc(actions.position),
      sql`rowid`,
    )
    .prepare();
  return { findUnsettled, listUnsettled };
}
