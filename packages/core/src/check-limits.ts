export type RunLimits = {
  maxOpenRuns: number;
  maxTurnsPerRun: number;
  maxTokensPerRun?: number | undefined;
  maxCostUsdPerRun?: number | undefined;
  maxTokensPerDay?: number | undefined;
  maxCostUsdPerDay?: number | undefined;
};

export type Used = {
  openRuns: number;
  turnsOfRun: number;
  tokensOfRun: number;
  costOfRun: number;
  tokensToday: number;
  costToday: number;
};

/** Why the run must wait; undefined when every cap leaves room. Only a person lifts a cap. */
export function explainCap(limits: RunLimits, used: Used): string | undefined {
  const checks: [number, number | undefined, string][] = [
    [used.openRuns, limits.maxOpenRuns, 'runs are open (limits.max_open_runs)'],
    [used.turnsOfRun, limits.maxTurnsPerRun, 'turns of this run were taken (limits.max_turns_per_run)'],
    [used.tokensOfRun, limits.maxTokensPerRun, 'tokens were used by this run (limits.max_tokens_per_run)'],
    [used.costOfRun, limits.maxCostUsdPerRun, 'dollars were spent on this run (limits.max_cost_usd_per_run)'],
    [used.tokensToday, limits.maxTokensPerDay, 'tokens were used today (limits.max_tokens_per_day)'],
    [used.costToday, limits.maxCostUsdPerDay, 'dollars were spent today (limits.max_cost_usd_per_day)'],
  ];
  const hit = checks.find(([value, cap]) => cap !== undefined && value >= cap);
  return hit && `${hit[0]} of ${hit[1]} ${hit[2]}`;
}
