import type { AgentUse } from '@mergexo/state';

/** Describes what agents used, for --json. Unknown figures are null. */
export function describeUse(use: AgentUse) {
  const { agents, durationMs } = use;
  return {
    agents: agents === null ? [] : agents.split(','),
    attempts: use.attempts,
    attempts_without_cost: use.attemptsWithoutCost,
    attempts_priced: use.pricedAttempts,
    minutes: durationMs === null ? null : toMinutes(durationMs),
    input_tokens: use.inputTokens,
    cached_input_tokens: use.cachedTokens,
    output_tokens: use.outputTokens,
    cost_usd: isUnknown(use) ? null : use.costUsd,
  };
}

/** True if no attempt has a known cost. */
export const isUnknown = ({ attempts, attemptsWithoutCost }: AgentUse): boolean =>
  attempts > 0 && attempts === attemptsWithoutCost;

export const toMinutes = (ms: number): number => Math.round(ms / 6_000) / 10;
