import { type CapEnd, findCap, findCapEnd, type RunLimits, type Used } from './check-limits.js';

const limits: RunLimits = {
  maxOpenRuns: 20,
  maxOpenPrs: 10,
  maxTurnsPerRun: 50,
  maxFailuresPerRun: 3,
  maxTokensPerRun: 1_000,
  maxCostUsdPerRun: 5,
  maxTokensPerDay: 2_000,
  maxCostUsdPerDay: 10,
};
const nothing: Used = {
  openRuns: 0,
  openPulls: 0,
  failuresOfRun: 0,
  turnsOfRun: 0,
  tokensOfRun: 0,
  costOfRun: 0,
  tokensToday: 0,
  costToday: 0,
};

describe('findCap', () => {
  it.each<[keyof Used, number, string, CapEnd]>([
    ['openRuns', 20, 'max_open_runs', 'capacity'],
    ['openPulls', 10, 'max_open_prs', 'capacity'],
    ['failuresOfRun', 3, 'max_failures_per_run', 'operator'],
    ['turnsOfRun', 50, 'max_turns_per_run', 'operator'],
    ['tokensOfRun', 1_000, 'max_tokens_per_run', 'operator'],
    ['costOfRun', 5, 'max_cost_usd_per_run', 'operator'],
    ['tokensToday', 2_000, 'max_tokens_per_day', 'midnight'],
    ['costToday', 10, 'max_cost_usd_per_day', 'midnight'],
  ])('with %s at %d, reports the cap %s', (what, value, key, end) => {
    expect(findCap(limits, { ...nothing, [what]: value - 0.01 })).toBeUndefined();
    expect(findCap(limits, { ...nothing, [what]: value })).toEqual({
      key,
      end,
      reason: expect.stringContaining(`(limits.${key})`),
    });
    expect(findCapEnd(key)).toBe(end);
  });

  it.each([null, 'agent_blocked', 'cap_reached'])('finds no limit in the hold %s', (hold) => {
    expect(findCapEnd(hold)).toBeUndefined();
  });

  it('reports no cap for a limit that is not configured', () => {
    const { maxTokensPerRun: _tokens, maxCostUsdPerDay: _cost, ...rest } = limits;
    expect(findCap(rest, { ...nothing, tokensOfRun: 1e9, costToday: 1e9 })).toBeUndefined();
  });
});
