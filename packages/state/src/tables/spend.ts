import { and, eq, gte, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { spend } from '../schema/index.js';

export type Spending = { inputTokens: number; outputTokens: number; costUsd: number };
export type Spend = ReturnType<typeof createSpend>;

export function createSpend(db: Drizzle) {
  // SQLite's `sum` fails if integers overflow; `total` adds up as a floating-point number.
  const total = {
    inputTokens: sql<number>`total(${spend.inputTokens})`,
    outputTokens: sql<number>`total(${spend.outputTokens})`,
    costUsd: sql<number>`total(${spend.costUsd})`,
  };
  const nothing: Spending = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

  return {
    /** Records the usage of an attempt. Counts each attempt once, no matter how many times the worker reports it. */
    recordSpend(
      row: Spending & { repoId: number; runId: number | null; turnKey: string; attempt: number },
      now: number,
    ): void {
      db.insert(spend)
        .values({ ...row, createdAt: now })
        .onConflictDoNothing()
        .run();
    },
    sumSpendOfRun: (runId: number, since: number): Spending =>
      db
        .select(total)
        .from(spend)
        .where(and(eq(spend.runId, runId), gte(spend.createdAt, since)))
        .get() ?? nothing,
    sumSpendSince: (time: number): Spending =>
      db.select(total).from(spend).where(gte(spend.createdAt, time)).get() ?? nothing,
  };
}
