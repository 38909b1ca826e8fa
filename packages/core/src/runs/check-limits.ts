import { keysOf } from '../basics/keys-of.js';

/**
 * The limits that a run can reach, by their key in `[limits]`. If several are reached, the first in the table counts.
 */
const CAPS = {
  max_open_runs: ['maxOpenRuns', 'openRuns', 'runs are open'],
  max_open_prs: ['maxOpenPrs', 'openPulls', 'pull requests are waiting for people'],
  max_failures_per_run: ['maxFailuresPerRun', 'failuresOfRun', 'allowed agent failures occurred in this run'],
  max_turns_per_run: ['maxTurnsPerRun', 'turnsOfRun', 'allowed turns were used by this run'],
  max_tokens_per_run: ['maxTokensPerRun', 'tokensOfRun', 'allowed tokens were used by this run'],
  max_cost_usd_per_run: ['maxCostUsdPerRun', 'costOfRun', 'was spent on this run'],
  max_tokens_per_day: ['maxTokensPerDay', 'tokensToday', 'allowed tokens were used today (UTC)'],
  max_cost_usd_per_day: ['maxCostUsdPerDay', 'costToday', 'was spent today (UTC)'],
} as const;
export type CapKey = keyof typeof CAPS;

type Row = (typeof CAPS)[CapKey];
/** An absent value means no limit. */
export type RunLimits = Readonly<Partial<Record<Row[0], number | undefined>>>;
export type Used = Record<Row[1], number>;

/** What lifts a limit: work that ends, midnight UTC or an operator, or only an operator. */
export type CapEnd = 'capacity' | 'midnight' | 'operator';
export type Cap = { key: CapKey; reason: string; end: CapEnd };

export const OPERATOR_CAPS: readonly CapKey[] = keysOf(CAPS).filter((key) => capEndOf(key) === 'operator');

function capEndOf(key: CapKey): CapEnd {
  if (key.endsWith('_per_run')) return 'operator';
  return key.endsWith('_per_day') ? 'midnight' : 'capacity';
}

/** Returns what lifts the limit that a run has reached; undefined if the run waits for another reason. */
export function findCapEnd(hold: string | null): CapEnd | undefined {
  const key = keysOf(CAPS).find((known) => known === hold);
  return key && capEndOf(key);
}

/** Names whom or what a run over a limit waits for. */
export const CAP_END_NAMES: Readonly<Record<CapEnd, string>> = {
  capacity: 'free capacity',
  midnight: '00:00 UTC, or an operator',
  operator: 'an operator',
};

/** Returns the first limit that the run has reached; undefined if it has reached none. */
export function findCap(limits: RunLimits, used: Used): Cap | undefined {
  for (const key of keysOf(CAPS)) {
    const [limit, use, words] = CAPS[key];
    const [cap, value] = [limits[limit], used[use]];
    if (cap === undefined || value < cap) continue;
    const reason = `${format(key, value)} of ${format(key, cap)} ${words} (limits.${key})`;
    return { key, reason, end: capEndOf(key) };
  }
  return undefined;
}

function format(key: CapKey, value: number): string {
  return key.startsWith('max_cost_usd') ? `$${value.toFixed(2)}` : String(value);
}
