import { z } from 'zod';
import type { AgentUsage } from '../turn/agent.js';

/** Larger than the usage of any real turn, but small enough to add up without overflow. */
const MAX_COUNT = 1e12;

/** An unreadable number counts as zero and does not affect the other numbers. */
const Figures = z.object({
  input_tokens: z.int().min(0).catch(0),
  output_tokens: z.int().min(0).catch(0),
  cost_usd: z.number().min(0).catch(0),
  cached_input_tokens: z.int().min(0).optional().catch(undefined),
  model: z.string().min(1).max(100).optional().catch(undefined),
});

/** Reads the `usage` of an answer, even of an unusable one, because its tokens were spent. Undefined if it has none. */
export function readUsage(answered: unknown): AgentUsage | undefined {
  const { data } = z.object({ usage: Figures }).safeParse(answered);
  if (data === undefined) return undefined;
  const { input_tokens, output_tokens, cost_usd, cached_input_tokens: cached, model } = data.usage;
  const cap = (count: number): number => Math.min(count, MAX_COUNT);
  return {
    inputTokens: cap(input_tokens),
    outputTokens: cap(output_tokens),
    costUsd: cap(cost_usd),
    ...(cached !== undefined && { cachedTokens: cap(cached) }),
    ...(model !== undefined && { model }),
  };
}
