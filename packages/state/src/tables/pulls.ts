import { and, asc, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import type { RowCache } from '../row-cache.js';
import { issueRuns, pullRequests } from '../schema/index.js';

export type Pull = typeof pullRequests.$inferSelect;
export type NewPull = Pick<
  Pull,
  'repoId' | 'prNumber' | 'runId' | 'issueNumber' | 'branch' | 'headSha' | 'url'
>;
export type Pulls = ReturnType<typeof createPulls>;

/**
 * Statuses of watched pull requests. Includes `blocked`, because a blocked pull request can still be merged or closed,
 * and MergeXO records its comments.
 */
const WATCHED: readonly Pull['status'][] = ['awaiting_feedback', 'blocked'];

export function createPulls(db: Drizzle, cache: RowCache<readonly Pull[]>) {
  const inRepo = eq(pullRequests.repoId, sql.placeholder('repoId'));
  const read = db
    .select()
    .from(pullRequests)
    .where(and(inRepo, eq(pullRequests.prNumber, sql.placeholder('prNumber'))))
    .prepare();
  const listWatched = db
    .select()
    .from(pullRequests)
    .where(and(inRepo, inArray(pullRequests.status, [...WATCHED])))
    .orderBy(asc(pullRequests.prNumber))
    .prepare();
  const findIgnoredPull = db
    .select({ id: pullRequests.id })
    .from(pullRequests)
    .where(and(inRepo, or(isNotNull(pullRequests.ignoredSince), isNotNull(pullRequests.issueIgnoredSince))))
    .limit(1)
    .prepare();
  const findIgnoredRun = db
    .select({ id: issueRuns.id })
    .from(issueRuns)
    .where(and(eq(issueRuns.repoId, sql.placeholder('repoId')), isNotNull(issueRuns.ignoredSince)))
    .limit(1)
    .prepare();

  return {
    /** Records a new pull request. Its first head counts as accepted. */
    recordPull(pull: NewPull, now: number): void {
      cache.forget();
      db.insert(pullRequests)
        .values({
          ...pull,
          status: 'awaiting_feedback',
          acceptedHeadSha: pull.headSha,
          acceptedAt: now,
          createdAt: now,
          updatedAt: now,
        })
        .onConflictDoNothing()
        .run();
    },

    readPull(repoId: number, prNumber: number): Pull | undefined {
      return read.get({ repoId, prNumber });
    },

    savePull(pull: Pull, now: number): void {
      cache.forget();
      db.update(pullRequests)
        .set({ ...pull, updatedAt: now })
        .where(eq(pullRequests.id, pull.id))
        .run();
    },

    /** True if a person has taken over an issue or a pull request. */
    hasTakeovers(repoId: number): boolean {
      return findIgnoredPull.get({ repoId }) !== undefined || findIgnoredRun.get({ repoId }) !== undefined;
    },

    /** Lists watched pull requests, oldest first. */
    listWatchedPulls(repoId: number): readonly Pull[] {
      return cache.read(repoId, () => listWatched.all({ repoId }));
    },
  };
}
