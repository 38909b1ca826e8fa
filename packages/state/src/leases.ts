import { and, eq, like, lte, sql } from 'drizzle-orm';
import type { Drizzle } from './open-database.js';
import { schedulerLeases } from './schema/index.js';

export type Lease = { name: string; holderId: string; since: number; expiresAt: number };
export type Leases = ReturnType<typeof createLeases>;

export function createLeases(db: Drizzle) {
  const read = db
    .select()
    .from(schedulerLeases)
    .where(eq(schedulerLeases.name, sql.placeholder('name')))
    .prepare();

  return {
    readLease(name: string): Lease | undefined {
      return read.get({ name });
    },

    saveLease(lease: Lease): void {
      const { holderId, since, expiresAt } = lease;
      db.insert(schedulerLeases)
        .values(lease)
        .onConflictDoUpdate({ target: schedulerLeases.name, set: { holderId, since, expiresAt } })
        .run();
    },

    deleteLease(name: string): void {
      db.delete(schedulerLeases).where(eq(schedulerLeases.name, name)).run();
    },

    listLeases(prefix: string): Lease[] {
      return db
        .select()
        .from(schedulerLeases)
        .where(like(schedulerLeases.name, `${prefix}%`))
        .all();
    },

    /** Removes and returns what expired, so that each expiry is told once. */
    takeExpiredLeases(prefix: string, now: number): Lease[] {
      return db
        .delete(schedulerLeases)
        .where(and(like(schedulerLeases.name, `${prefix}%`), lte(schedulerLeases.expiresAt, now)))
        .returning()
        .all();
    },
  };
}
