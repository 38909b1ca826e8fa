import { asc, gt, lte } from 'drizzle-orm';
import type { Drizzle } from '../../open-database.js';
import { githubWrites } from '../../schema/index.js';

export type GitHubWrites = ReturnType<typeof createGitHubWrites>;

export function createGitHubWrites(db: Drizzle) {
  return {
    /** Records a write, and deletes those up to `before`, which no longer count. */
    recordGitHubWrite(sentAt: number, { before }: { before: number }): void {
      db.insert(githubWrites).values({ sentAt }).run();
      db.delete(githubWrites).where(lte(githubWrites.sentAt, before)).run();
    },

    /** Lists the times of the writes after `since`, oldest first. */
    listGitHubWrites(since: number): number[] {
      return db
        .select({ sentAt: githubWrites.sentAt })
        .from(githubWrites)
        .where(gt(githubWrites.sentAt, since))
        .orderBy(asc(githubWrites.id))
        .all()
        .map(({ sentAt }) => sentAt);
    },
  };
}
