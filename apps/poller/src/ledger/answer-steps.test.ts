import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import type { LedgerAnswer, MessageOf } from '@mergexo/core/ledger';
import type { Usage } from '@mergexo/core/turns';
import { openState, type State } from '@mergexo/state';
import { aTurn, createTemporaryDirectory, withProof } from '@mergexo/testkit';
import { answerSteps } from './answer-steps.js';
import { createReportLimit } from './report-limit.js';

const KEY = 'k'.repeat(64);
const MINUTE = 60_000;

describe('answerSteps', () => {
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

  const turn = aTurn({ state: 'running', epoch: 1, begins: ['w1@r1', 'w1@r2'], workerId: 'w1@host' });
  const answer = (changes: Partial<typeof turn>, draft: Partial<MessageOf<'steps'>> = {}): LedgerAnswer => {
    state.recordTurn(turn, {});
    state.saveTurn({ ...turn, ...changes });
    const { turnKey } = turn;
    const full: MessageOf<'steps'> = {
      kind: 'steps',
      turnKey,
      attempt: 2,
      first: 0,
      steps: [{ kind: 'run', text: 'ls' }],
    };
    const message = withProof({ ...full, ...draft }, state.readTurn, KEY);
    if (message.kind !== 'steps') throw new Error('not a message with steps');
    const mayReport = createReportLimit(() => 0);
    const tools = {
      state,
      keys: { current: KEY, older: [] },
      mayReport,
      billing: { prices: () => new Map([['m', { input: 2, cachedInput: 0.5, output: 10 }]]) },
      now: () => 10 * MINUTE,
      log: silentLog,
    };
    return answerSteps(tools, message, 'w1');
  };
  const count = (): number => state.listAgentSteps({ turnKey: turn.turnKey }, 10).length;

  it.each<[string, Partial<typeof turn>]>([
    ['while the turn runs', {}],
    ['after the result of the attempt', { state: 'speaking' }],
    ['after the attempt failed', { state: 'queued', workerId: null }],
    ['just after the turn ended', { state: 'done', endedAt: 9.5 * MINUTE }],
  ])('records steps %s, without changing the turn', (_name, changes) => {
    expect(answer(changes)).toEqual({ kind: 'ok' });
    expect(count()).toBe(1);
    expect(state.readTurn(turn.turnKey)).toEqual({ ...turn, ...changes });
  });

  const used = { inputTokens: 100_000, cachedTokens: 60_000, outputTokens: 1_000, costUsd: 0, model: 'm' };
  it.each<[string, Partial<Usage>, number, string]>([
    ['the price of its model', {}, 0.12, '100,000 tokens in (60,000 cached), 1,000 out, $0.12'],
    ['the figure of the agent', { costUsd: 3 }, 3, '100,000 tokens in (60,000 cached), 1,000 out, $3.00'],
    ['nothing for an unknown model', { model: 'x' }, 0, '100,000 tokens in (60,000 cached), 1,000 out'],
    [
      'at most what an attempt can cost',
      { inputTokens: Number.MAX_SAFE_INTEGER, costUsd: 1e300 },
      1_000,
      '100,000,000 tokens in (60,000 cached), 1,000 out, $1000.00',
    ],
  ])('shows as the cost so far %s, and does not count it yet', (_what, more, costUsd, text) => {
    const usage = { ...used, ...more };
    expect(answer({}, { steps: [{ kind: 'usage', text: 'free', usage }] })).toEqual({ kind: 'ok' });
    const [step] = state.listAgentSteps({ turnKey: turn.turnKey }, 10);
    expect(step).toMatchObject({ kind: 'usage', text, usage: { costUsd: expect.closeTo(costUsd) } });
    expect(state.sumSpendSince(0)).toEqual({ inputTokens: 0, outputTokens: 0, costUsd: 0 });
  });

  it.each<[string, Partial<typeof turn>, Partial<MessageOf<'steps'>>]>([
    ['of an earlier attempt', {}, { attempt: 1 }],
    ['of a turn that ended long ago', { state: 'done', endedAt: 8 * MINUTE }, {}],
  ])('refuses steps %s', (_name, changes, draft) => {
    expect(answer(changes, draft)).toMatchObject({ kind: 'refused' });
    expect(count()).toBe(0);
  });
});
