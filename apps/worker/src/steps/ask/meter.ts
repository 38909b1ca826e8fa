import type { AgentUsage } from '@mergexo/agents';
import type { Usage } from '@mergexo/core/turns';

/** Adds up the agent's usage in one attempt, including failed runs. */
export type Meter = {
  add(usage: AgentUsage, durationMs: number): void;
  total(): Usage;
};

/** The agent's own report of its model counts more than the configured one. */
export function createMeter({ adapter, model }: { adapter: string; model: string | undefined }): Meter {
  let total: Usage = { inputTokens: 0, outputTokens: 0, costUsd: 0, durationMs: 0 };
  let seen = model;
  return {
    add: (usage, durationMs) => {
      if (usage.model !== undefined && MODEL.test(usage.model)) seen = usage.model;
      total = {
        inputTokens: sum(total.inputTokens, usage.inputTokens),
        outputTokens: sum(total.outputTokens, usage.outputTokens),
        costUsd: sum(total.costUsd, usage.costUsd),
        ...((total.cachedTokens ?? usage.cachedTokens) !== undefined && {
          cachedTokens: sum(total.cachedTokens ?? 0, usage.cachedTokens ?? 0),
        }),
        durationMs: sum(total.durationMs ?? 0, Math.round(durationMs)),
      };
    },
    total: () => ({ ...total, adapter, ...(seen !== undefined && { model: seen }) }),
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
