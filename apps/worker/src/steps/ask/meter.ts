import { type AgentUsage, NO_USAGE } from '@mergexo/agents';

/** Adds up what the agent consumed in one attempt, whatever came of it. */
export type Meter = {
  add(usage: AgentUsage): void;
  total(): AgentUsage;
};

export function createMeter(): Meter {
  let total = NO_USAGE;
  return {
    add: (usage) => {
      total = {
        inputTokens: sum(total.inputTokens, usage.inputTokens),
        outputTokens: sum(total.outputTokens, usage.outputTokens),
        costUsd: sum(total.costUsd, usage.costUsd),
      };
    },
    total: () => total,
  };
}

/** Agents report what they like; a sum that no message can carry would cost the plan. */
function sum(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}
