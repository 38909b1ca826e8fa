import { asc, eq } from 'drizzle-orm';
import type { Drizzle } from '../../open-database.js';
import { workerTokens } from '../../schema/index.js';

export type StoredWorkerToken = typeof workerTokens.$inferSelect;
export type WorkerTokenRows = ReturnType<typeof createWorkerTokenRows>;

export function createWorkerTokenRows(db: Drizzle) {
  return {
    recordWorkerToken(token: Omit<StoredWorkerToken, 'id'>): void {
      db.insert(workerTokens).values(token).run();
    },

    /** Lists the tokens that are not revoked yet, oldest first. */
    listWorkerTokens(): StoredWorkerToken[] {
      return db.select().from(workerTokens).orderBy(asc(workerTokens.id)).all();
    },

    deleteWorkerToken(id: number): void {
      db.delete(workerTokens).where(eq(workerTokens.id, id)).run();
    },
  };
}
