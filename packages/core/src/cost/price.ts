/** Dollars per million tokens of a model. */
export type Price = {
  input: number;
  /** For input tokens that the provider read from its cache; if absent, `input` applies. */
  cachedInput?: number | undefined;
  output: number;
};

export type Prices = ReadonlyMap<string, Price>;

type Used = {
  inputTokens: number;
  /** The part of `inputTokens` from the cache; null if unknown. */
  cachedTokens: number | null;
  outputTokens: number;
  /** 0 if the agent does not report its cost. */
  costUsd: number;
  model: string | null;
};

const MILLION = 1_000_000;

/** Computes the cost of an attempt in dollars. The agent's own figure wins. Without it and without a price, the cost is unknown. */
export function computeCost(
  used: Used,
  prices: Prices,
): { costUsd: number; costSource: 'agent' | 'prices' | null } {
  if (used.costUsd > 0) return { costUsd: used.costUsd, costSource: 'agent' };
  const price = used.model === null ? undefined : prices.get(used.model);
  if (price === undefined || used.inputTokens + used.outputTokens === 0)
    return { costUsd: 0, costSource: null };
  const cached = Math.min(used.cachedTokens ?? 0, used.inputTokens);
  const dollars =
    (used.inputTokens - cached) * price.input +
    cached * (price.cachedInput ?? price.input) +
    used.outputTokens * price.output;
  return { costUsd: dollars / MILLION, costSource: 'prices' };
}
