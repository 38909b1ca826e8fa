import { asc, eq, lte } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { workerLeases, workerSequences } from '../schema/index.js';

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

    /** Returns the sequence of the worker's last heartbeat; undefined if the worker sent none. */
    readWorkerSequence(workerId: string): number | undefined {
      return db.select().from(workerSequences).where(eq(workerSequences.workerId, workerId)).get()?.sequence;
    },

    saveWorkerSequence(workerId: string, sequence: number): void {
      db.insert(workerSequences)
        .values({ workerId, sequence })
        .onConflictDoUpdate({ target: workerSequences.workerId, set: { sequence } })
        .run();
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
