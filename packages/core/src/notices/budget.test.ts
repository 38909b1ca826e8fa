import { findReachedBudgets } from './budget.js';

const day = (before: number, after: number) => ({
  run: undefined,
  day: { before: { tokens: before, costUsd: 0 }, after: { tokens: after, costUsd: 0 } },
});
const limits = { maxTokensPerDay: 1_000 };

describe('findReachedBudgets', () => {
  it.each([
    [0, 799, undefined],
    [799, 800, 80],
    [800, 999, undefined],
    [999, 1_000, 100],
    [0, 1_000, 100],
    [1_000, 2_000, undefined],
  ])('reports a change of use from %i to %i of 1,000 at %s', (before, after, percent) => {
    expect(findReachedBudgets(limits, day(before, after)).map((reached) => reached.percent)).toEqual(
      percent === undefined ? [] : [percent],
    );
  });

  it('reports limits for tokens and dollars, per run and per day', () => {
    const change = { before: { tokens: 0, costUsd: 0 }, after: { tokens: 90, costUsd: 9 } };
    const all = { maxTokensPerRun: 100, maxCostUsdPerRun: 9, maxTokensPerDay: 1_000, maxCostUsdPerDay: 10 };
    expect(findReachedBudgets(all, { run: change, day: change })).toEqual([
      { limit: 'max_tokens_per_run', percent: 80, used: 90, cap: 100 },
      { limit: 'max_cost_usd_per_run', percent: 100, used: 9, cap: 9 },
      { limit: 'max_cost_usd_per_day', percent: 80, used: 9, cap: 10 },
    ]);
  });

  it('reports nothing without limits', () => {
    expect(findReachedBudgets({}, day(0, 1e9))).toEqual([]);
  });
});
