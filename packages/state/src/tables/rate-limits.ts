import { asc, gt } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { rateLimits } from '../schema/index.js';

export type StoredRateLimit = Omit<typeof rateLimits.$inferSelect, 'updatedAt'>;
export type RateLimits = ReturnType<typeof createRateLimits>;

export function createRateLimits(db: Drizzle) {
  return {
    saveRateLimit(rate: StoredRateLimit, now: number): void {
      const row = { ...rate, updatedAt: now };
      db.insert(rateLimits).values(row).onConflictDoUpdate({ target: rateLimits.login, set: row }).run();
    },

    /** Lists only current limits, because the figures are unknown after a reset. */
    listRateLimits(now: number): StoredRateLimit[] {
      const { login, limit, left, resetsAt } = rateLimits;
      return db
        .select({ login, limit, left, resetsAt })
        .from(rateLimits)
        .where(gt(resetsAt, now))
        .orderBy(asc(login))
        .all();
    },
  };
}
