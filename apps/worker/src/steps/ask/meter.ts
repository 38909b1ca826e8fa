import type { AgentUsage } from '@mergexo/agents';
import type { Usage } from '@mergexo/core/turns';

/** Adds up the agent's usage in one attempt, including failed runs. */
export type Meter = {
  add(usage: AgentUsage, durationMs: number): void;
  total(): Usage;
  /** Returns the total with the usage of a run that has not ended. */
  totalWith(usage: AgentUsage): Usage;
};

/** The agent's own report of its model counts more than the configured one. */
export function createMeter({ adapter, model }: { adapter: string; model: string | undefined }): Meter {
  let total: Usage = {
    ...{ inputTokens: 0, outputTokens: 0, costUsd: 0, durationMs: 0, adapter },
    ...(model !== undefined && { model }),
  };
  return {
    add: (usage, durationMs) => {
      const durationSoFar = total.durationMs ?? 0;
      total = { ...addUsage(total, usage), durationMs: sum(durationSoFar, Math.round(durationMs)) };
    },
    total: () => total,
    totalWith: (usage) => addUsage(total, usage),
  };
}

function addUsage(total: Usage, usage: AgentUsage): Usage {
  const { model } = usage;
  return {
    ...total,
    inputTokens: sum(total.inputTokens, Math.round(usage.inputTokens)),
    outputTokens: sum(total.outputTokens, Math.round(usage.outputTokens)),
    costUsd: sum(total.costUsd, usage.costUsd),
    ...((total.cachedTokens ?? usage.cachedTokens) !== undefined && {
      cachedTokens: sum(total.cachedTokens ?? 0, Math.round(usage.cachedTokens ?? 0)),
    }),
    ...(model !== undefined && MODEL.test(model) && { model }),
  };
}

/** Agents can report any text. */
const MODEL = /^[\w.:/@+-]{1,100}$/;

/**
 * Adds two numbers and caps the sum. Agents can report any number, and a larger sum would make the message with the
 * plan invalid.
 */
function sum(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}
