import { join } from 'node:path';
import { type AgentStep, buildUsageStep } from '@mergexo/core/agent';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { openState, type State } from '../create-state.js';
import { readSnapshot } from './read-snapshot.js';
import { readTurnUse } from './read-turn-use.js';

const turnKey = 'a'.repeat(64);
const SPENT = { repoId: 1, runId: null, turnKey, inputTokens: 100, outputTokens: 10, costUsd: 0.5 };
const OUTPUT: AgentStep = { kind: 'say', text: 'hm' };
const usageOf = (inputTokens: number, more: object = {}): AgentStep =>
  buildUsageStep({ inputTokens, outputTokens: 1, costUsd: 0, adapter: 'codex', model: 'gpt-5', ...more });

describe('readTurnUse', () => {
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

  const show = (attempt: number, first: number, ...steps: AgentStep[]): void =>
    state.recordAgentSteps({ turnKey, attempt, first, steps }, 1);
  const read = () => readSnapshot(join(directory.path, 'state.db'), (facts) => readTurnUse(facts, turnKey));

  it('knows nothing about a turn whose agent has reported nothing', () => {
    show(1, 0, OUTPUT);
    state.recordSpend({ ...SPENT, turnKey: 'other', attempt: 1 }, 1);
    expect(read()).toMatchObject({ attempts: 0, agents: null });
  });

  it('reads the latest report of the running attempt', () => {
    show(1, 0, usageOf(5), usageOf(7, { cachedTokens: 4, costUsd: 0.25 }), OUTPUT);
    expect(read()).toMatchObject({
      ...{ attempts: 1, attemptsWithoutCost: 0, inputTokens: 7, cachedTokens: 4, outputTokens: 1 },
      ...{ costUsd: 0.25, agents: 'codex gpt-5', durationMs: null },
    });
  });

  it('keeps a cost that nobody knows unknown', () => {
    show(1, 0, usageOf(5));
    expect(read()).toMatchObject({ attempts: 1, attemptsWithoutCost: 1 });
  });

  it('counts an attempt that has ended once, and adds the running one', () => {
    show(1, 0, usageOf(90));
    state.recordSpend({ ...SPENT, attempt: 1 }, 1);
    expect(read()).toMatchObject({ attempts: 1, inputTokens: 100 });
    show(2, 0, usageOf(20));
    expect(read()).toMatchObject({ attempts: 2, inputTokens: 120, costUsd: 0.5, attemptsWithoutCost: 1 });
  });
});
