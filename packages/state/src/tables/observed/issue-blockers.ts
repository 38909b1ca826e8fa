import { isSameRepo } from '@mergexo/core/scheduler';
import { and, eq, sql } from 'drizzle-orm';
import type { Drizzle } from '../../open-database.js';
import { issueBlockers } from '../../schema/index.js';

export type IssueBlockers = typeof issueBlockers.$inferSelect;
export type Blocking = ReturnType<typeof createBlocking>;

/** Stores which issues block others on GitHub. Only issues that MergeXO works on have a row. */
export function createBlocking(db: Drizzle) {
  const ofIssue = and(
    eq(issueBlockers.repoId, sql.placeholder('repoId')),
    eq(issueBlockers.issueNumber, sql.placeholder('number')),
  );
  const read = db.select().from(issueBlockers).where(ofIssue).prepare();
  const list = db
    .select()
    .from(issueBlockers)
    .where(eq(issueBlockers.repoId, sql.placeholder('repoId')))
    .orderBy(issueBlockers.issueNumber)
    .prepare();
  const listAll = db.select().from(issueBlockers).prepare();
  const remove = db.delete(issueBlockers).where(ofIssue).prepare();

  const saveBlockers = (row: IssueBlockers): void => {
    const { repoId, issueNumber, ...facts } = row;
    db.insert(issueBlockers)
      .values(row)
      .onConflictDoUpdate({ target: [issueBlockers.repoId, issueBlockers.issueNumber], set: facts })
      .run();
  };

  return {
    /** Returns what blocks an issue; undefined if nothing does. */
    readBlockers(repoId: number, number: number): IssueBlockers | undefined {
      return read.get({ repoId, number });
    },

    listBlockers(repoId: number): IssueBlockers[] {
      return list.all({ repoId });
    },

    saveBlockers,

    deleteBlockers(repoId: number, number: number): void {
      remove.run({ repoId, number });
    },

    /** Call this when an issue of any repository closes. The blockers of the issues that it blocks are then listed again. */
    noteBlockerClosed(fullName: string, closed: number): void {
      for (const row of listAll.all()) {
        const isKnown = row.open?.some(({ repo, number }) => number === closed && isSameRepo(repo, fullName));
        if (isKnown && row.listedAt !== null) saveBlockers({ ...row, listedAt: null });
      }
    },
  };
}
