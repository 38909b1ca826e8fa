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
import { isIn } from '../schema/is-in.js';
import { stringifyRedacted } from '../stringify-redacted.js';

export type Turns = ReturnType<typeof createTurns>;

const isLive = isIn(turns.state, LIVE_STATES);
const oldestFirst = [asc(turns.openedAt), asc(turns.turnKey)];
const { context, plan, bundle, ...turnColumns } = getTableColumns(turns);

export function createTurns(db: Drizzle, redact: Redact) {
  const { read, readContext, readPlan, touch, listOfRun, readLive } = prepareQueries(db);
  const { listCarried, listInState } = prepareLists(db);

  return {
    /**
     * Records a turn. Returns false if the turn already exists, or if its run or pull request has another live turn.
     */
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

    /** Saves only the heartbeat and its sequence, because they change every two seconds. */
    saveHeartbeat({ turnKey, heartbeatAt, progressSequence }: Turn): void {
      touch.run({ turnKey, heartbeatAt, progressSequence });
    },

    recordPlan(turnKey: string, parcel: PlanParcel): void {
      const bytes = parcel.bundle === null ? null : Buffer.from(parcel.bundle, 'base64');
      db.update(turns)
        .set({ plan: stringifyRedacted(parcel.plan, redact), bundle: bytes })
        .where(eq(turns.turnKey, turnKey))
        .run();
    },

    readPlan(turnKey: string): PlanParcel | null {
      const row = readPlan.get({ turnKey });
      if (row === undefined || row.plan === null) return null;
      return { plan: Plan.parse(JSON.parse(row.plan)), bundle: row.bundle?.toString('base64') ?? null };
    },

    /** Lists turns that must have a job in Redis, oldest first. */
    listCarriedTurns(): Turn[] {
      return listCarried.all();
    },

    /** Lists the turns of a run, oldest first. */
    listTurnsOfRun(runId: number): Turn[] {
      return listOfRun.all({ runId });
    },

    readLiveTurnOfRun(runId: number): Turn | undefined {
      return readLive.get({ runId });
    },

    /** Replaces the stored input after the head moved or comments were deleted. */
    saveTurnContext(turnKey: string, turnContext: Json): void {
      db.update(turns)
        .set({ context: JSON.stringify(turnContext) })
        .where(eq(turns.turnKey, turnKey))
        .run();
    },

    /** Deletes the commits of an ended turn, which are on GitHub or no longer needed. Frees up to 20 MB. */
    forgetBundle(turnKey: string): void {
      db.update(turns).set({ bundle: null }).where(eq(turns.turnKey, turnKey)).run();
    },

    /** Lists the turns that workers began most recently, newest last. */
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
      return listInState(state).all();
    },
  };
}

/** Prepares the lists of turns in certain states, which the poller reads every second. */
function prepareLists(db: Drizzle) {
  const prepare = (condition: SQL | undefined) =>
    db
      .select(turnColumns)
      .from(turns)
      .where(condition)
      .orderBy(...oldestFirst)
      .prepare();
  const byState = new Map<Turn['state'], ReturnType<typeof prepare>>();
  return {
    listCarried: prepare(and(isLive, isIn(turns.state, CARRIED_STATES))),
    listInState(state: Turn['state']) {
      const isOfLive = LIVE_STATES.some((live) => live === state);
      const known =
        byState.get(state) ??
        prepare(isOfLive ? and(isLive, isIn(turns.state, [state])) : isIn(turns.state, [state]));
      byState.set(state, known);
      return known;
    },
  };
}

/** Prepares the queries once, because they run in every poll and with every heartbeat. */
function prepareQueries(db: Drizzle) {
  const byKey = eq(turns.turnKey, sql.placeholder('turnKey'));
  const read = db.select(turnColumns).from(turns).where(byKey).prepare();
  const readContext = db.select({ context }).from(turns).where(byKey).prepare();
  const readPlan = db.select({ plan, bundle }).from(turns).where(byKey).prepare();
  const touch = db
    .update(turns)
    .set({
      heartbeatAt: sql`${sql.placeholder('heartbeatAt')}`,
      progressSequence: sql`${sql.placeholder('progressSequence')}`,
    })
    .where(byKey)
    .prepare();
  const ofRun = eq(turns.runId, sql.placeholder('runId'));
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
  return { read, readContext, readPlan, touch, listOfRun, readLive };
}
