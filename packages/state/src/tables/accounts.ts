import { eq } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { accounts } from '../schema/index.js';

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(db: Drizzle) {
  return {
    recordAccount(repoId: number, accountId: number, now: number): void {
      db.insert(accounts).values({ repoId, accountId, createdAt: now }).onConflictDoNothing().run();
    },

    listAccounts(repoId: number): number[] {
      return db
        .select({ accountId: accounts.accountId })
        .from(accounts)
        .where(eq(accounts.repoId, repoId))
        .all()
        .map(({ accountId }) => accountId);
    },
  };
}
