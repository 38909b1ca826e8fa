import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openState } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../../context.js';
import { type CostOptions, cost } from './cost.js';

describe('cost', () => {
  const directory = createTemporaryDirectory();
  const config = join(directory.path, 'mergexo.toml');
  const base = join(directory.path, 'data');
  beforeAll(() => {
    mkdirSync(base, { mode: 0o700 });
    writeFileSync(
      config,
      `[runtime]\nbase_dir = ${JSON.stringify(base)}\n[repo.app]\nowner = "o"\nname = "n"\n`,
    );
    const state = openState(join(base, 'state.db'));
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
    const row = { repoId: 1, runId: null, inputTokens: 1_000, outputTokens: 50 };
    state.recordSpend(
      {
        ...row,
        turnKey: 'a',
        attempt: 1,
        costUsd: 1.25,
        adapter: 'claude',
        model: 'sonnet',
        cachedTokens: 400,
        durationMs: 90_000,
        costSource: 'agent',
      },
      Date.now(),
    );
    state.recordSpend({ ...row, turnKey: 'b', attempt: 1, costUsd: 0 }, Date.now());
    state.recordSpend({ ...row, turnKey: 'c', attempt: 1, costUsd: 7 }, Date.now() - 10 * 86_400_000);
    state.close();
  });
  afterAll(() => directory.remove());

  const print = (options: CostOptions, json = false): string => {
    let printed = '';
    const write = (text: string): void => {
      printed += text;
    };
    cost(createContext({ config, json, env: {}, homeDir: directory.path, write }), options);
    return printed;
  };

  it('prints a table with a total, and says that some costs are unknown', () => {
    const text = print({ by: 'repo', days: '5' });
    expect(text).toMatch(/^o\/n +2 +2 +1\.5 +2000 +400 +100 +1\.25 +claude sonnet$/m);
    expect(text).toMatch(/^total +2 +2 +1\.5 +2000 +400 +100 +1\.25 +claude sonnet$/m);
    expect(text).toContain('For 1 attempt, the agent reported tokens but no cost.');
    expect(print({ by: 'repo', days: '30' })).toMatch(/^total .* 8\.25 +claude sonnet$/m);
  });

  it('prints JSON, with null for unknown costs', () => {
    const { rows, total } = JSON.parse(print({ by: 'day', days: '1' }, true));
    expect(rows).toMatchObject([
      {
        day: new Date().toISOString().slice(0, 10),
        turns: 2,
        cost_usd: 1.25,
        agents: ['claude sonnet'],
        minutes: 1.5,
        cached_input_tokens: 400,
      },
    ]);
    expect(total).toMatchObject({ input_tokens: 2_000, attempts_without_cost: 1 });
  });

  it.each<[CostOptions, RegExp]>([
    [{ by: 'person' }, /--by must be one of issue, day, repo, phase/],
    [{ days: '0' }, /--days must be a whole number from 1/],
    [{ days: 'x' }, /--days must be a whole number from 1/],
    [{ repo: 'o/other' }, /has not polled "o\/other"/],
  ])('refuses %j', (options, reason) => {
    expect(() => print(options)).toThrow(reason);
  });
});
