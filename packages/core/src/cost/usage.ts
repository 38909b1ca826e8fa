import { z } from 'zod';

/** What an agent used in one attempt. */
export const Usage = z.strictObject({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  costUsd: z.number().min(0),
  /** Absent if the agent does not report it. */
  cachedTokens: z.int().min(0).optional(),
  adapter: z.string().max(80).optional(),
  /** Absent if the agent uses its default model and does not report it. */
  model: z.string().max(100).optional(),
  /** How long the agent ran. */
  durationMs: z.int().min(0).optional(),
});
export type Usage = z.infer<typeof Usage>;

/** Limits above the usage of any real attempt, so that a false report from a worker cannot make sums inexact. */
const MAX_TOKENS = 100_000_000;
const MAX_COST_USD = 1_000;
const MAX_DURATION_MS = 7 * 86_400_000;

/** Cuts the reported usage of one attempt to these limits. */
export function boundUsage(usage: Usage): Usage {
  const { inputTokens, outputTokens, costUsd, cachedTokens, durationMs } = usage;
  return {
    ...usage,
    inputTokens: Math.min(inputTokens, MAX_TOKENS),
    outputTokens: Math.min(outputTokens, MAX_TOKENS),
    costUsd: Math.min(costUsd, MAX_COST_USD),
    ...(cachedTokens !== undefined && { cachedTokens: Math.min(cachedTokens, MAX_TOKENS) }),
    ...(durationMs !== undefined && { durationMs: Math.min(durationMs, MAX_DURATION_MS) }),
  };
}

/** Describes usage in one line. Unknown figures are left out. */
export function describeUsage({ inputTokens, cachedTokens, outputTokens, costUsd }: Usage): string {
  const cached = cachedTokens === undefined ? '' : ` (${format(cachedTokens)} cached)`;
  const cost = costUsd === 0 ? '' : `, $${costUsd.toFixed(costUsd < 0.1 ? 3 : 2)}`;
  return `${format(inputTokens)} tokens in${cached}, ${format(outputTokens)} out${cost}`;
}

const format = (count: number): string => count.toLocaleString('en-US');
