import type { RunLimits } from '../runs/check-limits.js';
import type { BudgetReached } from './notice.js';

/** Tokens and dollars, before and after an attempt was counted. */
export type BudgetUse = { tokens: number; costUsd: number };
export type BudgetChange = { before: BudgetUse; after: BudgetUse };

const BUDGETS = [
  ['max_tokens_per_run', 'maxTokensPerRun', 'run', 'tokens'],
  ['max_cost_usd_per_run', 'maxCostUsdPerRun', 'run', 'costUsd'],
  ['max_tokens_per_day', 'maxTokensPerDay', 'day', 'tokens'],
  ['max_cost_usd_per_day', 'maxCostUsdPerDay', 'day', 'costUsd'],
] as const;

/**
 * Returns the budgets whose use has just passed 80 or 100 % of their limit. Compares the use before and after one
 * attempt, so that each mark is reported once. An attempt that passes both marks is reported at 100 %.
 */
export function findReachedBudgets(
  limits: RunLimits,
  changes: { run: BudgetChange | undefined; day: BudgetChange },
): BudgetReached[] {
  return BUDGETS.flatMap(([limit, key, scope, unit]): BudgetReached[] => {
    const [cap, change] = [limits[key], changes[scope]];
    if (cap === undefined || change === undefined) return [];
    const [before, used] = [change.before[unit], change.after[unit]];
    const percent = ([100, 80] as const).find((mark) => {
      const threshold = (cap * mark) / 100;
      return before < threshold && used >= threshold;
    });
    return percent === undefined ? [] : [{ limit, percent, used, cap }];
  });
}
