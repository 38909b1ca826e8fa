import { countOf } from '../text/count-of.js';
import { quoteName } from '../text/quote-name.js';

/** What agents used for a pull request until it opened. Null if unknown. */
export type PullReceipt = {
  /** Agents with their models. */
  agents: readonly string[];
  attempts: number;
  inputTokens: number;
  cachedTokens: number | null;
  outputTokens: number;
  costUsd: number | null;
  durationMs: number | null;
};

const MINUTE_MS = 60_000;

/** Renders the line with the cost of a pull request, without unknown figures. */
export function renderPullReceipt(receipt: PullReceipt): string {
  const { agents, attempts, inputTokens, cachedTokens, outputTokens, costUsd, durationMs } = receipt;
  const cached = cachedTokens === null ? '' : ` (${format(cachedTokens)} from the cache)`;
  const parts = [
    ...agents.map(quoteName),
    countOf(attempts, 'attempt'),
    ...(durationMs === null ? [] : [countOf(Math.max(1, Math.round(durationMs / MINUTE_MS)), 'minute')]),
    `${format(inputTokens)} tokens in${cached}`,
    `${format(outputTokens)} tokens out`,
    costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(2)}`,
  ];
  return `_Cost until this pull request: ${parts.join(', ')}._`;
}

const format = (count: number): string => count.toLocaleString('en-US');
