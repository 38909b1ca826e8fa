import { CARRIED_STATES, type Json, Plan, type PlanParcel, type Redact, type Turn } from '@mergexo/core';
import { asc, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Drizzle } from './open-database.js';
import { turns } from './schema/index.js';

export type Turns = ReturnType<typeof createTurns>;

export function createTurns(db: Drizzle, redact: Redact) {
  const { context, plan, bundle, ...turnColumns } = getTableColumns(turns);
  const byKey = eq(turns.turnKey, sql.placeholder('turnKey'));
  const read = db.select(turnColumns).from(turns).where(byKey).prepare();
  const readContext = db.select({ context }).from(turns).where(byKey).prepare();
  const readPlan = db.select({ plan, bundle }).from(turns).where(byKey).prepare();
  const touch = db
    .update(turns)
    .set({ heartbeatAt: sql`${sql.placeholder('heartbeatAt')}` })
    .where(byKey)
    .prepare();

  return {
    /** False when the turn exists already, or another one lives on the same run or pull request. */
    recordTurn(turn: Turn, turnContext: Json): boolean {
      const row = { ...turn, context: JSON.stringify(turnContext) };
      return db.insert(turns).values(row).onConflictDoNothing().run().changes === 1;
    },

    readTurn(turnKey: string): Turn | undefined {
      return read.get({ turnKey });
    },

    readTurnContext(turnKey: string): Json {
      const row = readContext.get({ turnKey });
      return row === undefined ? null : JSON.parse(row.context);
    },

    saveTurn(turn: Turn): void {
      const { turnKey, ...fields } = turn;
      const reason = turn.reason && redact(turn.reason);
      db.update(turns)
        .set({ ...fields, reason })
        .where(eq(turns.turnKey, turnKey))
        .run();
    },

    /** The one column that changes every other second. */
    saveHeartbeat({ turnKey, heartbeatAt }: Turn): void {
      touch.run({ turnKey, heartbeatAt });
    },

    recordPlan(turnKey: string, parcel: PlanParcel): void {
      const bytes = parcel.bundle === null ? null : Buffer.from(parcel.bundle, 'base64');
      db.update(turns)
        .set({ plan: JSON.stringify(parcel.plan), bundle: bytes })
        .where(eq(turns.turnKey, turnKey))
        .run();
    },

    readPlan(turnKey: string): PlanParcel | null {
      const row = readPlan.get({ turnKey });
      if (row === undefined || row.plan === null) return null;
      return { plan: Plan.parse(JSON.parse(row.plan)), bundle: row.bundle?.toString('base64') ?? null };
    },

    /** Turns that must have a job in Redis, oldest first. */
    listCarriedTurns(): Turn[] {
      return db
        .select(turnColumns)
        .from(turns)
        .where(inArray(turns.state, [...CARRIED_STATES]))
        .orderBy(asc(turns.openedAt), asc(turns.turnKey))
        .all();
    },

    /** How many turns a run has had, and how many of them did not end `done`, or were superseded. */
    countTurnsOfRun(runId: number): { all: number; unfinished: number; superseded: number } {
      const states = db.select({ state: turns.state }).from(turns).where(eq(turns.runId, runId)).all();
      const count = (wanted: (state: Turn['state']) => boolean) =>
        states.filter(({ state }) => wanted(state)).length;
      return {
        all: states.length,
        unfinished: count((state) => state !== 'done'),
        superseded: count((state) => state === 'superseded'),
      };
    },

    /** The commits of an ended turn are on GitHub, or nobody will ever want them: up to 20 MB less. */
    forgetBundle(turnKey: string): void {
      db.update(turns).set({ bundle: null }).where(eq(turns.turnKey, turnKey)).run();
    },

    listTurnsInState(state: Turn['state']): Turn[] {
      return db
        .select(turnColumns)
        .from(turns)
        .where(eq(turns.state, state))
        .orderBy(asc(turns.openedAt), asc(turns.turnKey))
        .all();
    },
  };
}
