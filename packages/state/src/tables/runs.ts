import { isLiveRun } from '@mergexo/core/runs';
import type { Redact } from '@mergexo/core/text';
import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { issueRuns } from '../schema/index.js';

export type Run = typeof issueRuns.$inferSelect;
export type NewRun = Pick<
  Run,
  'repoId' | 'issueNumber' | 'flow' | 'issueTitle' | 'branch' | 'designDocPath' | 'ordinal'
>;
export type Runs = ReturnType<typeof createRuns>;

export function createRuns(db: Drizzle, redact: Redact) {
  const { read, listOfIssue, listWithStatus } = prepareQueries(db);

  return {
    /** Records a run. Returns undefined if the run already exists. */
    recordRun(run: NewRun, now: number): Run | undefined {
      return db
        .insert(issueRuns)
        .values({
          ...run,
          issueTitle: redact(run.issueTitle),
          status: 'ready',
          createdAt: now,
          updatedAt: now,
        })
        .onConflictDoNothing()
        .returning()
        .get();
    },

    readRun(id: number): Run | undefined {
      return read.get({ id });
    },

    /** Saves the run, and clears `endedKind` unless the run is closed. */
    saveRun(run: Run, now: number): void {
      const endedKind = run.status === 'closed' ? run.endedKind : null;
      db.update(issueRuns)
        .set({ ...run, endedKind, error: run.error && redact(run.error), updatedAt: now })
        .where(eq(issueRuns.id, run.id))
        .run();
    },

    /** Lists the runs of an issue, newest first. */
    listRunsOfIssue(repoId: number, issueNumber: number): Run[] {
      return listOfIssue.all({ repoId, issueNumber });
    },

    /** Lists the runs with these statuses, oldest first. */
    listRuns(repoId: number, statuses: readonly Run['status'][]): Run[] {
      return listWithStatus.all({ repoId, statuses: JSON.stringify(statuses) });
    },

    hasLiveRun(repoId: number, issueNumber: number): boolean {
      const where = and(eq(issueRuns.repoId, repoId), eq(issueRuns.issueNumber, issueNumber));
      return db.select({ status: issueRuns.status }).from(issueRuns).where(where).all().some(isLiveRun);
    },
  };
}

/** Prepares the queries once, because they run in every poll. */
function prepareQueries(db: Drizzle) {
  const inRepo = eq(issueRuns.repoId, sql.placeholder('repoId'));
  const read = db
    .select()
    .from(issueRuns)
    .where(eq(issueRuns.id, sql.placeholder('id')))
    .prepare();
  const listOfIssue = db
    .select()
    .from(issueRuns)
    .where(and(inRepo, eq(issueRuns.issueNumber, sql.placeholder('issueNumber'))))
    .orderBy(desc(issueRuns.id))
    .prepare();
  const listWithStatus = db
    .select()
    .from(issueRuns)
    .where(
      and(inRepo, sql`${issueRuns.status} in (select value from json_each(${sql.placeholder('statuses')}))`),
    )
    .orderBy(asc(issueRuns.id))
    .prepare();
  return { read, listOfIssue, listWithStatus };
}
