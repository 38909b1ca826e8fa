import type { Redact } from '@mergexo/core/text';
import { and, eq, gte, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { spend } from '../schema/index.js';

export type Spending = { inputTokens: number; outputTokens: number; costUsd: number };
/** Facts about an attempt that its agent may not report. */
export type SpendDetails = {
  adapter: string | null;
  model: string | null;
  cachedTokens: number | null;
  costSource: 'agent' | 'prices' | null;
  durationMs: number | null;
};
/** What agents used. */
export type AgentUse = {
  attempts: number;
  /** Attempts that used tokens but reported no cost, such as those of Codex. */
  attemptsWithoutCost: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  /** Attempts whose cost was computed from `[prices]`. */
  pricedAttempts: number;
  /** The part of the input tokens from the provider's cache; null if no agent reported it. */
  cachedTokens: number | null;
  /** How long agents ran; null if unknown. */
  durationMs: number | null;
  /** The agents and their models, such as `codex gpt-5`, separated by commas; null if unknown. */
  agents: string | null;
};

/** The sums of `AgentUse`. A sum over unknown values only is unknown. */
export const SUMS = `count(*) as attempts,
         sum(spend.cost_usd = 0 and spend.input_tokens + spend.output_tokens > 0) as attemptsWithoutCost,
         sum(spend.cost_source is 'prices') as pricedAttempts,
         total(spend.input_tokens) as inputTokens, sum(spend.cached_tokens) as cachedTokens,
         total(spend.output_tokens) as outputTokens, sum(spend.cost_usd) as costUsd,
         sum(spend.duration_ms) as durationMs,
         group_concat(distinct spend.adapter || coalesce(' ' || spend.model, '')) as agents`;

export type Spend = ReturnType<typeof createSpend>;

export function createSpend(db: Drizzle, redact: Redact) {
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
      row: Spending &
        Partial<SpendDetails> & { repoId: number; runId: number | null; turnKey: string; attempt: number },
      now: number,
    ): void {
      db.insert(spend)
        .values({ ...row, model: row.model == null ? null : redact(row.model), createdAt: now })
        .onConflictDoNothing()
        .run();
    },
    sumSpendOfRun: (runId: number, since: number): Spending =>
      db
        .select(total)
        .from(spend)
        .where(and(eq(spend.runId, runId), gte(spend.createdAt, since)))
        .get() ?? nothing,
    /** Sums what the run used in all attempts. */
    readUseOfRun: (runId: number): AgentUse =>
      db.get<AgentUse>(sql`select ${sql.raw(SUMS)} from spend where run_id = ${runId}`),
    sumSpendSince: (time: number): Spending =>
      db.select(total).from(spend).where(gte(spend.createdAt, time)).get() ?? nothing,
  };
}
