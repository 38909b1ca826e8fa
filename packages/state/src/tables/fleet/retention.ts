import { TRIMMED_EVENTS } from '@mergexo/core/timeline';
import { LIVE_STATES } from '@mergexo/core/turns';
import { and, eq, inArray, isNotNull, lt, ne, notExists, notInArray } from 'drizzle-orm';
import type { Drizzle } from '../../open-database.js';
import { actions, issueRuns, runtimeEvents, turns } from '../../schema/index.js';

export type Retention = ReturnType<typeof createRetention>;

/** Deletes old rows that no guarantee needs, a few at a time. Each function returns the number of changed rows. */
export function createRetention(db: Drizzle) {
  return {
    forgetOldEvents(before: number, limit: number): number {
      const old = db
        .select({ id: runtimeEvents.id })
        .from(runtimeEvents)
        .where(and(inArray(runtimeEvents.type, [...TRIMMED_EVENTS]), lt(runtimeEvents.createdAt, before)))
        .limit(limit);
      return db.delete(runtimeEvents).where(inArray(runtimeEvents.id, old)).run().changes;
    },

    /**
     * Deletes the plans of merged work. A merged pull request cannot be reopened, and all its posts are settled. Keeps
     * the plans of designs, because implementations read the decisions in them.
     */
    forgetOldPlans(before: number, limit: number): number {
      const unsettled = db
        .select({ id: actions.id })
        .from(actions)
        .where(and(eq(actions.turnKey, turns.turnKey), inArray(actions.state, ['planned', 'sending'])));
      const old = db
        .select({ turnKey: turns.turnKey })
        .from(turns)
        .innerJoin(issueRuns, eq(issueRuns.id, turns.runId))
        .where(
          and(
            eq(issueRuns.status, 'merged'),
            ne(issueRuns.flow, 'design_doc'),
            lt(issueRuns.updatedAt, before),
            notInArray(turns.state, [...LIVE_STATES]),
            isNotNull(turns.plan),
            notExists(unsettled),
          ),
        )
        .limit(limit);
      return db.update(turns).set({ plan: null, bundle: null }).where(inArray(turns.turnKey, old)).run()
        .changes;
    },
  };
}
