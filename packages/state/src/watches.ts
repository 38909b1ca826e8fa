import { eq, sql } from 'drizzle-orm';
import type { Drizzle } from './open-database.js';
import { repoWatch } from './schema/index.js';

export type RepoWatch = Omit<typeof repoWatch.$inferSelect, 'repoId'>;
export type Watches = ReturnType<typeof createWatches>;

/** Facts that the poller compares with its next look at GitHub. Saving some of them leaves the others as they are. */
export function createWatches(db: Drizzle) {
  const readRepo = db
    .select()
    .from(repoWatch)
    .where(eq(repoWatch.repoId, sql.placeholder('repoId')))
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
  };
}
