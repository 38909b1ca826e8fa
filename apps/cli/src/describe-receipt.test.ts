import { createState, listReceipts, openDatabase } from '@mergexo/state';
import { aTurn, useTemporaryDirectory } from '@mergexo/testkit';
import { describeReceipt, renderReceipts } from './describe-receipt.js';

describe('the receipts of an issue', () => {
  const pathTo = useTemporaryDirectory();
  const read = (costs: readonly number[]) => {
    const database = openDatabase(pathTo('state.db'));
    try {
      const state = createState(database);
      state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
      const named = { repoId: 1, issueNumber: 3, issueTitle: 'Fix it', flow: 'bugfix' as const, ordinal: 1 };
      const run = { ...named, status: 'ready' as const, branch: null, designDocPath: null };
      const { id: runId = 0 } = state.recordRun(run, 1) ?? state.listRunsOfIssue(1, 3)[0] ?? {};
      for (const [index, costUsd] of costs.entries()) {
        const turn = aTurn({ runId, issueNumber: 3, state: 'done' });
        state.recordTurn(turn, {});
        const used = { inputTokens: 900, cachedTokens: 100, outputTokens: 5, costUsd, durationMs: 60_000 };
        for (const attempt of [1, 2].slice(index))
          state.recordSpend(
            { ...used, repoId: 1, runId, turnKey: turn.turnKey, attempt, adapter: 'codex', model: 'gpt-5' },
            index + 1,
          );
      }
      return listReceipts(database, { repoId: 1, issueNumber: 3 }).map(describeReceipt);
    } finally {
      database.close();
    }
  };

  it('are one per turn, with all attempts', () => {
    const receipts = read([0.25, 0]);
    expect(receipts).toMatchObject([
      { attempts: 2, agents: ['codex gpt-5'], minutes: 2, cached_input_tokens: 200, cost_usd: 0.5 },
      { attempts: 1, cost_usd: null },
    ]);
    expect(renderReceipts(receipts)).toEqual([
      '',
      'Cost: $0.50, plus 1 turn with unknown cost',
      expect.stringMatching(
        /codex gpt-5; 2 attempts; 2 min; 1800 tokens in \(200 cached\), 10 out; \$0\.50$/,
      ),
      expect.stringMatching(/cost unknown$/),
    ]);
  });

  it('are absent before the first turn, and show an unknown cost if none was reported', () => {
    expect(renderReceipts(read([]))).toEqual([]);
    expect(renderReceipts([...read([0])])[1]).toBe('Cost: unknown');
  });
});
