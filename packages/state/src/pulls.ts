import { and, eq } from 'drizzle-orm';
import type { Drizzle } from './open-database.js';
import { pullRequests } from './schema/index.js';

export type Pull = typeof pullRequests.$inferSelect;
export type NewPull = Pick<
  Pull,
  'repoId' | 'prNumber' | 'runId' | 'issueNumber' | 'branch' | 'headSha' | 'url'
>;
export type Pulls = ReturnType<typeof createPulls>;

export function createPulls(db: Drizzle) {
  return {
    /** The head it opens with is the first that we accept. */
    recordPull(pull: NewPull, now: number): void {
      db.insert(pullRequests)
        .values({
          ...pull,
          status: 'awaiting_feedback',
          lastSeenHeadSha: pull.headSha,
          createdAt: now,
          updatedAt: now,
        })
        .onConflictDoNothing()
        .run();
    },

    readPull(repoId: number, prNumber: number): Pull | undefined {
      const where = and(eq(pullRequests.repoId, repoId), eq(pullRequests.prNumber, prNumber));
      return db.select().from(pullRequests).where(where).get();
    },
  };
}
