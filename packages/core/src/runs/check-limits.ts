export type RunLimits = {
  maxOpenRuns: number;
  maxOpenPrs: number;
  maxFailuresPerRun: number;
  maxTurnsPerRun: number;
  maxTokensPerRun?: number | undefined;
  maxCostUsdPerRun?: number | undefined;
  maxTokensPerDay?: number | undefined;
  maxCostUsdPerDay?: number | undefined;
};

export type Used = {
  openRuns: number;
  openPulls: number;
  failuresOfRun: number;
  turnsOfRun: number;
  tokensOfRun: number;
  costOfRun: number;
  tokensToday: number;
  costToday: number;
};

/** `lasting`: it does not pass with other work, so a person is told. */
export type Cap = { key: string; reason: string; lasting: boolean };

/** Why the run must wait; undefined when every cap leaves room. */
export function findCap(limits: RunLimits, used: Used): Cap | undefined {
  const checks: [number, number | undefined, string, string, boolean][] = [
    [used.openRuns, limits.maxOpenRuns, 'runs are open', 'max_open_runs', false],
    [used.openPulls, limits.maxOpenPrs, 'pull requests wait for people', 'max_open_prs', false],
    [used.failuresOfRun, limits.maxFailuresPerRun, 'failures of the agent', 'max_failures_per_run', true],
    [used.turnsOfRun, limits.maxTurnsPerRun, 'turns of this run were taken', 'max_turns_per_run', true],
    [used.tokensOfRun, limits.maxTokensPerRun, 'tokens were used by this run', 'max_tokens_per_run', true],
    [used.costOfRun, limits.maxCostUsdPerRun, 'dollars were spent on this run', 'max_cost_usd_per_run', true],
    [used.tokensToday, limits.maxTokensPerDay, 'tokens were used today (UTC)', 'max_tokens_per_day', true],
    [used.costToday, limits.maxCostUsdPerDay, 'dollars were spent today (UTC)', 'max_cost_usd_per_day', true],
  ];
  const hit = checks.find(([value, cap]) => cap !== undefined && value >= cap);
  if (hit === undefined) return undefined;
  const [value, cap, words, key, lasting] = hit;
  return { key, reason: `${value} of ${cap} ${words} (limits.${key})`, lasting };
}
