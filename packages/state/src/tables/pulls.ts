import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { pullRequests } from '../schema/index.js';

export type Pull = typeof pullRequests.$inferSelect;
export type NewPull = Pick<
  Pull,
  'repoId' | 'prNumber' | 'runId' | 'issueNumber' | 'branch' | 'headSha' | 'url'
>;
export type Pulls = ReturnType<typeof createPulls>;

/** Blocked ones too: they may be merged or closed, and their comments are kept. */
const WATCHED: readonly Pull['status'][] = ['awaiting_feedback', 'blocked'];

export function createPulls(db: Drizzle) {
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

  return {
    /** The head it opens with is the first that we accept. */
    recordPull(pull: NewPull, now: number): void {
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
      db.update(pullRequests)
        .set({ ...pull, updatedAt: now })
        .where(eq(pullRequests.id, pull.id))
        .run();
    },

    /** Oldest first. */
    listWatchedPulls(repoId: number): Pull[] {
      return listWatched.all({ repoId });
    },

    listBlockedPulls(): Pull[] {
      return db
        .select()
        .from(pullRequests)
        .where(eq(pullRequests.status, 'blocked'))
        .orderBy(asc(pullRequests.repoId), asc(pullRequests.prNumber))
        .all();
    },
  };
}
