import { and, desc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Drizzle } from '../../open-database.js';
import type { RowCache } from '../../row-cache.js';
import { issueWatch, pullWatch, repoWatch } from '../../schema/index.js';

export type RepoWatch = Omit<typeof repoWatch.$inferSelect, 'repoId'>;
export type PullWatch = Omit<typeof pullWatch.$inferSelect, 'repoId' | 'prNumber'>;
export type IssueWatch = Omit<typeof issueWatch.$inferSelect, 'repoId' | 'issueNumber'>;
/** Older issues rarely change, and a lagging list hardly contains them. */
const MAX_SEEN = 5_000;

export type Watches = ReturnType<typeof createWatches>;

/** Stores facts that the poller compares with its next read from GitHub. Saving one fact does not change the others. */
export function createWatches(db: Drizzle, cache: RowCache<ReadonlyMap<number, PullWatch>>) {
  const repoId = sql.placeholder('repoId');
  const number = sql.placeholder('number');
  const readRepo = db.select().from(repoWatch).where(eq(repoWatch.repoId, repoId)).prepare();
  const listPulls = db.select().from(pullWatch).where(eq(pullWatch.repoId, repoId)).prepare();
  const readIssue = db
    .select()
    .from(issueWatch)
    .where(and(eq(issueWatch.repoId, repoId), eq(issueWatch.issueNumber, number)))
    .prepare();

  const listSeen = db
    .select({ number: issueWatch.issueNumber, updatedAt: issueWatch.seenUpdatedAt })
    .from(issueWatch)
    .where(and(eq(issueWatch.repoId, repoId), isNotNull(issueWatch.seenUpdatedAt)))
    .orderBy(desc(issueWatch.seenUpdatedAt))
    .limit(MAX_SEEN)
    .prepare();

  return {
    readRepoWatch(repoId: number): RepoWatch | undefined {
      return readRepo.get({ repoId });
    },

    saveRepoWatch(repoId: number, changes: Partial<RepoWatch>): void {
      db.insert(repoWatch)
        .values({ repoId, ...changes })
        .onConflictDoUpdate({ target: repoWatch.repoId, set: changes })
        .run();
    },

    readPullWatch(repoId: number, prNumber: number): PullWatch | undefined {
      const load = () => new Map(listPulls.all({ repoId }).map((row) => [row.prNumber, row]));
      return cache.read(repoId, load).get(prNumber);
    },

    savePullWatch(repoId: number, prNumber: number, changes: Partial<PullWatch>): void {
      cache.forget();
      db.insert(pullWatch)
        .values({ repoId, prNumber, ...changes })
        .onConflictDoUpdate({ target: [pullWatch.repoId, pullWatch.prNumber], set: changes })
        .run();
    },

    readIssueWatch(repoId: number, issueNumber: number): IssueWatch | undefined {
      return readIssue.get({ repoId, number: issueNumber });
    },

    /** Lists the newest recorded version of the issues that changed last. */
    listSeenIssues(repoId: number): { number: number; updatedAt: string }[] {
      return listSeen
        .all({ repoId })
        .map(({ number, updatedAt }) => ({ number, updatedAt: updatedAt ?? '' }));
    },

    saveIssueWatch(repoId: number, issueNumber: number, changes: Partial<IssueWatch>): void {
      db.insert(issueWatch)
        .values({ repoId, issueNumber, ...changes })
        .onConflictDoUpdate({ target: [issueWatch.repoId, issueWatch.issueNumber], set: changes })
        .run();
    },
  };
}
