import { join } from 'node:path';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { openState, type State } from '../create-state.js';
import { listCosts } from './list-costs.js';
import { readSnapshot } from './read-snapshot.js';

const DAY = 86_400_000;

describe('listCosts', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    for (const [id, name] of ['engine', 'loom'].entries())
      state.saveRepository({ id: id + 1, owner: 'ada', name, defaultBranch: 'main' });
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const spend = (row: Partial<Parameters<State['recordSpend']>[0]> & { turnKey: string }, at: number): void =>
    state.recordSpend(
      { repoId: 1, runId: null, attempt: 1, inputTokens: 100, outputTokens: 10, costUsd: 0, ...row },
      at,
    );
  const list = (options: Parameters<typeof listCosts>[1]) =>
    readSnapshot(join(directory.path, 'state.db'), (facts) => listCosts(facts, options)) ?? [];

  it('sums every attempt per day, and skips earlier days', () => {
    spend({ turnKey: 'a', costUsd: 1 }, DAY - 1);
    spend({ turnKey: 'b', costUsd: 2 }, DAY);
    spend({ turnKey: 'b', attempt: 2, costUsd: 0.5 }, DAY + 5);
    spend({ turnKey: 'c', costUsd: 4 }, 3 * DAY);
    expect(list({ by: 'day', since: DAY })).toMatchObject([
      { day: DAY, turns: 1, attempts: 2, inputTokens: 200, outputTokens: 20, costUsd: 2.5 },
      { day: 3 * DAY, turns: 1, attempts: 1, costUsd: 4 },
    ]);
  });

  it('keeps equal issue numbers of two repositories apart, most expensive first', () => {
    for (const [turnKey, repoId] of [
      ['a', 1],
      ['b', 2],
    ] as const)
      state.recordTurn(aTurn({ turnKey, repoId, issueNumber: 7 }), null);
    spend({ turnKey: 'a', costUsd: 1 }, DAY);
    spend({ turnKey: 'b', repoId: 2, costUsd: 3 }, DAY);
    expect(list({ by: 'issue', since: 0 }).map(({ repo, issue, costUsd }) => [repo, issue, costUsd])).toEqual(
      [
        ['ada/loom', 7, 3],
        ['ada/engine', 7, 1],
      ],
    );
    expect(list({ by: 'repo', since: 0, repoId: 1 })).toMatchObject([{ repo: 'ada/engine', costUsd: 1 }]);
    expect(list({ by: 'phase', since: 0 })).toMatchObject([{ phase: aTurn({}).kind, turns: 2, costUsd: 4 }]);
  });

  it('counts attempts that reported tokens but no cost', () => {
    spend({ turnKey: 'a' }, DAY);
    spend({ turnKey: 'b', costUsd: 1 }, DAY);
    spend({ turnKey: 'c', inputTokens: 0, outputTokens: 0 }, DAY);
    expect(list({ by: 'repo', since: 0 })).toMatchObject([{ attempts: 3, attemptsWithoutCost: 1 }]);
  });
});
