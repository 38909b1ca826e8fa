import { isLiveRun, type Redact } from '@mergexo/core';
import { and, asc, desc, eq, inArray } from 'drizzle-orm';
import type { Drizzle } from './open-database.js';
import { issueRuns } from './schema/index.js';

export type Run = typeof issueRuns.$inferSelect;
export type NewRun = Pick<
  Run,
  'repoId' | 'issueNumber' | 'flow' | 'issueTitle' | 'branch' | 'designDocPath' | 'ordinal'
>;
export type Runs = ReturnType<typeof createRuns>;

export function createRuns(db: Drizzle, redact: Redact) {
  return {
    /** Undefined when the run is there already. */
    recordRun(run: NewRun, now: number): Run | undefined {
      return db
        .insert(issueRuns)
        .values({ ...run, status: 'ready', createdAt: now, updatedAt: now })
        .onConflictDoNothing()
        .returning()
        .get();
    },

    readRun(id: number): Run | undefined {
      return db.select().from(issueRuns).where(eq(issueRuns.id, id)).get();
    },

    saveRun(run: Run, now: number): void {
      db.update(issueRuns)
        .set({ ...run, error: run.error && redact(run.error), updatedAt: now })
        .where(eq(issueRuns.id, run.id))
        .run();
    },

    /** Newest first. */
    listRunsOfIssue(repoId: number, issueNumber: number): Run[] {
      return db
        .select()
        .from(issueRuns)
        .where(and(eq(issueRuns.repoId, repoId), eq(issueRuns.issueNumber, issueNumber)))
        .orderBy(desc(issueRuns.id))
        .all();
    },

    /** Oldest first. */
    listRuns(repoId: number, statuses: readonly Run['status'][]): Run[] {
      return db
        .select()
        .from(issueRuns)
        .where(and(eq(issueRuns.repoId, repoId), inArray(issueRuns.status, [...statuses])))
        .orderBy(asc(issueRuns.id))
        .all();
    },

    hasLiveRun(repoId: number, issueNumber: number): boolean {
      const where = and(eq(issueRuns.repoId, repoId), eq(issueRuns.issueNumber, issueNumber));
      return db.select({ status: issueRuns.status }).from(issueRuns).where(where).all().some(isLiveRun);
    },
  };
}
