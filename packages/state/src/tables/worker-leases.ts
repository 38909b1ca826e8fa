import { asc, eq, lte } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { workerLeases } from '../schema/index.js';

export type WorkerLease = typeof workerLeases.$inferSelect;
export type WorkerLeases = ReturnType<typeof createWorkerLeases>;

export function createWorkerLeases(db: Drizzle) {
  return {
    readWorkerLease(workerId: string): WorkerLease | undefined {
      return db.select().from(workerLeases).where(eq(workerLeases.workerId, workerId)).get();
    },

    saveWorkerLease(lease: typeof workerLeases.$inferInsert): void {
      const { workerId, ...fields } = lease;
      db.insert(workerLeases)
        .values(lease)
        .onConflictDoUpdate({ target: workerLeases.workerId, set: fields })
        .run();
    },

    deleteWorkerLease(workerId: string): void {
      db.delete(workerLeases).where(eq(workerLeases.workerId, workerId)).run();
    },

    listWorkerLeases(): WorkerLease[] {
      return db.select().from(workerLeases).orderBy(asc(workerLeases.workerId)).all();
    },

    /** Deletes and returns the expired leases, so that each expiry is reported only once. */
    takeExpiredWorkerLeases(now: number): WorkerLease[] {
      return db.delete(workerLeases).where(lte(workerLeases.expiresAt, now)).returning().all();
    },
  };
}
