import { type AgentStep, buildStep } from '@mergexo/core/agent';
import { type Redact, redactStrings } from '@mergexo/core/text';
import { and, asc, desc, eq, getTableColumns, gt, gte, inArray, isNull, lte, type SQL } from 'drizzle-orm';
import type { Drizzle } from '../../open-database.js';
import { agentSteps, turns } from '../../schema/index.js';

export type AgentSteps = ReturnType<typeof createAgentSteps>;
export type StoredStep = Omit<typeof agentSteps.$inferSelect, 'bytesSoFar'>;

/** Narrows a list of steps. Without a field, the list contains the steps of all turns. */
export type StepFilter = {
  turnKey?: string;
  issue?: { repoId: number; issueNumber: number };
  /** Only steps that were recorded after this one. */
  afterId?: number;
  /** Only steps that were recorded at this time or later. */
  since?: number;
};

export type StepLimits = { before: number; maxBytes: number };

/** Size of a row in the table and its index, with a usage, in addition to the text. */
const ROW_BYTES = 200;
const { bytesSoFar, ...shown } = getTableColumns(agentSteps);

export function createAgentSteps(db: Drizzle, redact: Redact) {
  const readLast = (where?: SQL) =>
    db.select().from(agentSteps).where(where).orderBy(desc(agentSteps.id)).limit(1).get();
  const listOldest = (limit: number) =>
    db.select().from(agentSteps).orderBy(asc(agentSteps.id)).limit(limit).all();

  return {
    /** Appends steps of an attempt. Skips the steps that it already recorded. Requires a transaction. */
    recordAgentSteps({ turnKey, attempt, first, steps }: Appended, now: number): void {
      const last = readLast(eq(agentSteps.turnKey, turnKey));
      const known = last?.attempt === attempt ? last.position : -1;
      let total = readLast()?.bytesSoFar ?? 0;
      for (const [index, { kind, text: raw, usage: used }] of steps.entries()) {
        const position = first + index;
        const step = buildStep(kind, raw, redact);
        if (position <= known || step === undefined) continue;
        const usage = used === undefined ? null : redactStrings(used, redact);
        total += Buffer.byteLength(step.text) + ROW_BYTES;
        const row = { turnKey, attempt, position, ...step, usage, bytesSoFar: total, createdAt: now };
        db.insert(agentSteps).values(row).run();
      }
    },

    /** Lists the oldest matching steps, in order. */
    listAgentSteps(filter: StepFilter, limit: number): StoredStep[] {
      return db
        .select(shown)
        .from(agentSteps)
        .where(toCondition(db, filter))
        .orderBy(asc(agentSteps.id))
        .limit(limit)
        .all();
    },

    /** Lists the newest matching steps, in order. */
    listLatestAgentSteps(filter: StepFilter, limit: number): StoredStep[] {
      return db
        .select(shown)
        .from(agentSteps)
        .where(toCondition(db, filter))
        .orderBy(desc(agentSteps.id))
        .limit(limit)
        .all()
        .reverse();
    },

    /** Reads the latest step that says what happens, rather than what the attempt has used. */
    readLatestAgentStep(turnKey: string): StoredStep | undefined {
      return readLast(and(eq(agentSteps.turnKey, turnKey), isNull(agentSteps.usage)));
    },

    /** Returns the id of the newest step, or 0. A cheap check for new steps. */
    readLastStepId(): number {
      return readLast()?.id ?? 0;
    },

    /** Deletes up to `limit` of the oldest steps, if they are too old or if the table is too large. */
    pruneAgentSteps({ before, maxBytes }: StepLimits, limit: number): number {
      const newest = readLast();
      if (newest === undefined) return 0;
      const isKept = ({ createdAt, bytesSoFar: total }: Aged): boolean =>
        createdAt >= before && newest.bytesSoFar - total < maxBytes;
      // Most calls read only one row, because usually the oldest step is kept.
      if (listOldest(1).every(isKept)) return 0;
      const oldest = listOldest(limit);
      const kept = oldest.findIndex(isKept);
      const expired = kept === -1 ? oldest : oldest.slice(0, kept);
      const last = expired.at(-1);
      if (last !== undefined) db.delete(agentSteps).where(lte(agentSteps.id, last.id)).run();
      return expired.length;
    },
  };
}

type Aged = { createdAt: number; bytesSoFar: number };
type Appended = { turnKey: string; attempt: number; first: number; steps: readonly AgentStep[] };

function toCondition(db: Drizzle, { turnKey, issue, afterId, since }: StepFilter): SQL | undefined {
  const ofIssue =
    issue &&
    db
      .select({ turnKey: turns.turnKey })
      .from(turns)
      .where(and(eq(turns.repoId, issue.repoId), eq(turns.issueNumber, issue.issueNumber)));
  return and(
    turnKey === undefined ? undefined : eq(agentSteps.turnKey, turnKey),
    ofIssue && inArray(agentSteps.turnKey, ofIssue),
    afterId === undefined ? undefined : gt(agentSteps.id, afterId),
    since === undefined ? undefined : gte(agentSteps.createdAt, since),
  );
}
