import { type AgentUsage, NO_USAGE } from '@mergexo/agents';

/** Adds up the agent's usage in one attempt, including failed runs. */
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

/**
 * Adds two numbers and caps the sum. Agents can report any number, and a larger sum would make the message with the
 * plan invalid.
 */
function sum(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}
