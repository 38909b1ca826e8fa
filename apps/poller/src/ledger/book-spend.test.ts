import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import { openState, type State } from '@mergexo/state';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { bookSpend } from './book-spend.js';

describe('bookSpend', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const turn = aTurn();
  const book = (attempt: number, inputTokens: number): void =>
    bookSpend(
      {
        ...{ state, now: () => 90_000_000, log: silentLog },
        billing: { limits: () => ({ maxTokensPerDay: 1_000 }), prices: () => new Map() },
      },
      turn,
      { attempt, usage: { inputTokens, outputTokens: 0, costUsd: 0 } },
    );
  const reached = () =>
    state.listEventsOfTypes(['budget_reached'], 0, 100).map(({ payload, repoId }) => ({ payload, repoId }));

  it('records once that 80 and 100 % of a limit are used, even if the worker reports an attempt twice', () => {
    book(1, 799);
    expect(reached()).toEqual([]);
    book(2, 1);
    book(2, 1);
    book(3, 100);
    book(4, 500);
    book(5, 500);
    expect(reached()).toEqual([
      { repoId: null, payload: { limit: 'max_tokens_per_day', percent: 80, used: 800, cap: 1_000 } },
      { repoId: null, payload: { limit: 'max_tokens_per_day', percent: 100, used: 1_400, cap: 1_000 } },
    ]);
  });

  it('computes the cost of a model from its price, and keeps it unknown without one', () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 100_000, costUsd: 0, cachedTokens: 400_000 };
    const prices = new Map([['gpt-5', { input: 1, cachedInput: 0.5, output: 10 }]]);
    const tools = {
      ...{ state, now: () => 90_000_000, log: silentLog },
      billing: { limits: () => ({ maxCostUsdPerDay: 1.8 }), prices: () => prices },
    };
    bookSpend(tools, turn, { attempt: 1, usage: { ...usage, adapter: 'codex', model: 'gpt-6' } });
    expect(state.sumSpendSince(0).costUsd).toBe(0);
    bookSpend(tools, turn, { attempt: 2, usage: { ...usage, adapter: 'codex', model: 'gpt-5' } });
    expect(state.sumSpendSince(0).costUsd).toBeCloseTo(1.8);
    expect(reached()).toMatchObject([{ payload: { limit: 'max_cost_usd_per_day', percent: 100 } }]);
  });
});
