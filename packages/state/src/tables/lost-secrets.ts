import { eq } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { lostSecrets } from '../schema/index.js';

export type LostSecret = typeof lostSecrets.$inferSelect;
export type LostSecrets = ReturnType<typeof createLostSecrets>;

export function createLostSecrets(db: Drizzle) {
  return {
    readLostSecret(repoId: number): LostSecret | undefined {
      return db.select().from(lostSecrets).where(eq(lostSecrets.repoId, repoId)).get();
    },

    saveLostSecret(lost: LostSecret): void {
      db.insert(lostSecrets).values(lost).onConflictDoUpdate({ target: lostSecrets.repoId, set: lost }).run();
    },

    deleteLostSecret(repoId: number): void {
      db.delete(lostSecrets).where(eq(lostSecrets.repoId, repoId)).run();
    },
  };
}
