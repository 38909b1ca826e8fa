import { computeCost, type Prices } from '@mergexo/core/cost';
import { type BudgetUse, findReachedBudgets } from '@mergexo/core/notices';
import type { RunLimits } from '@mergexo/core/runs';
import type { RuntimeEvent } from '@mergexo/core/timeline';
import type { Turn, Usage } from '@mergexo/core/turns';
import type { Spending } from '@mergexo/state';
import { recordEvents } from '../lifecycle/record-events.js';
import type { Records } from '../tools.js';

const DAY = 24 * 3_600_000;

/** The limits whose use is reported, and the prices of models. Functions, because the config can change. */
export type Billing = { limits: () => RunLimits; prices: () => Prices };
type Tools = Records & { billing: Billing };

/**
 * Records an attempt's usage, and each budget that it brought to 80 or 100 %. Requires a transaction, so that a
 * budget is reported exactly once.
 */
export function bookSpend(
  tools: Tools,
  turn: Turn,
  { attempt, usage }: { attempt: number; usage: Usage },
): void {
  const { state, now, billing } = tools;
  const { repoId, runId, turnKey, issueNumber, prNumber } = turn;
  const before = measure(tools, runId);
  const { adapter = null, model = null, cachedTokens = null, durationMs = null } = usage;
  const cost = computeCost({ ...usage, cachedTokens, model }, billing.prices());
  const used = { ...usage, adapter, model, cachedTokens, durationMs, ...cost };
  state.recordSpend({ repoId, runId, turnKey, attempt, ...used }, now());
  const after = measure(tools, runId);
  const reached = findReachedBudgets(billing.limits(), {
    run: before.run && after.run && { before: before.run, after: after.run },
    day: { before: before.day, after: after.day },
  });
  const events = reached.map((payload): RuntimeEvent => {
    // A daily limit covers all work, so its event belongs to no issue.
    const isOfRun = payload.limit.endsWith('_per_run');
    return { type: 'budget_reached', ...(isOfRun && { repoId, runId, issueNumber, prNumber }), payload };
  });
  recordEvents(tools, events);
}

function measure({ state, now }: Tools, runId: number | null) {
  const clearedAt = runId === null ? 0 : (state.readRun(runId)?.clearedAt ?? 0);
  return {
    run: runId === null ? undefined : toUse(state.sumSpendOfRun(runId, clearedAt)),
    day: toUse(state.sumSpendSince(now() - (now() % DAY))),
  };
}

const toUse = ({ inputTokens, outputTokens, costUsd }: Spending): BudgetUse => ({
  tokens: inputTokens + outputTokens,
  costUsd,
});
