import type { Json } from '@mergexo/core/basics';
import type { Redact } from '@mergexo/core/text';
import {
  type Begun,
  CARRIED_STATES,
  LIVE_STATES,
  Plan,
  type PlanParcel,
  type Turn,
} from '@mergexo/core/turns';
import { and, asc, desc, eq, getTableColumns, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { runtimeEvents, turns } from '../schema/index.js';

export type Turns = ReturnType<typeof createTurns>;

/** Written out, not bound: a partial index is used only where the query says the same in the same words. */
const isIn = (states: readonly Turn['state'][]): SQL =>
  sql`${turns.state} in (${sql.raw(states.map((state) => `'${state}'`).join(', '))})`;
const isLive = isIn(LIVE_STATES);

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

  const ofRun = eq(turns.runId, sql.placeholder('runId'));
  const oldestFirst = [asc(turns.openedAt), asc(turns.turnKey)];
  const listOfRun = db
    .select(turnColumns)
    .from(turns)
    .where(ofRun)
    .orderBy(...oldestFirst)
    .prepare();
  const readLive = db
    .select(turnColumns)
    .from(turns)
    .where(and(ofRun, isNotNull(turns.runId), isLive))
    .prepare();

  /** Text by text: a pattern that reaches over a quote would break the whole. */
  const redactStrings = (_key: string, value: unknown): unknown =>
    typeof value === 'string' ? redact(value) : value;

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
        .set({ plan: JSON.stringify(parcel.plan, redactStrings), bundle: bytes })
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
        .where(and(isLive, isIn(CARRIED_STATES)))
        .orderBy(...oldestFirst)
        .all();
    },

    /** Oldest first. */
    listTurnsOfRun(runId: number): Turn[] {
      return listOfRun.all({ runId });
    },

    readLiveTurnOfRun(runId: number): Turn | undefined {
      return readLive.get({ runId });
    },

    /** What has changed since the turn was opened: the head, and what was deleted meanwhile. */
    saveTurnContext(turnKey: string, turnContext: Json): void {
      db.update(turns)
        .set({ context: JSON.stringify(turnContext) })
        .where(eq(turns.turnKey, turnKey))
        .run();
    },

    /** The commits of an ended turn are on GitHub, or nobody will ever want them: up to 20 MB less. */
    forgetBundle(turnKey: string): void {
      db.update(turns).set({ bundle: null }).where(eq(turns.turnKey, turnKey)).run();
    },

    /** What workers took up last, newest at the end. */
    listLastBegun(limit: number): Begun[] {
      return db
        .select({ kind: turns.kind, repoId: turns.repoId })
        .from(runtimeEvents)
        .innerJoin(turns, eq(turns.turnKey, runtimeEvents.turnKey))
        .where(eq(runtimeEvents.type, 'turn_begun'))
        .orderBy(desc(runtimeEvents.createdAt), desc(runtimeEvents.id))
        .limit(limit)
        .all()
        .reverse();
    },

    listTurnsInState(state: Turn['state']): Turn[] {
      return db
        .select(turnColumns)
        .from(turns)
        .where(LIVE_STATES.some((live) => live === state) ? and(isLive, isIn([state])) : isIn([state]))
        .orderBy(...oldestFirst)
        .all();
    },
  };
}
