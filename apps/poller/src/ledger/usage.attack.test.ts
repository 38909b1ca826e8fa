import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import type { LedgerDraft } from '@mergexo/core/ledger';
import type { Turn } from '@mergexo/core/turns';
import { openState, type State } from '@mergexo/state';
import {
  aPlanWithoutCommit,
  aTurn,
  aVerifiedMessage,
  createTemporaryDirectory,
  NO_UPLOADS,
  ROBOT_AUTHOR,
} from '@mergexo/testkit';
import { endTurn } from '../lifecycle/end-turn.js';
import { answerLedger, type LedgerTools } from './answer-ledger.js';
import { createHolderSilence } from './holder-silence.js';
import { createReportLimit } from './report-limit.js';

const KEY = 'k'.repeat(64);
const USED = { inputTokens: 4_000_000, outputTokens: 500_000, costUsd: 42 };
const NOTHING = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

describe('the usage that workers report', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  let tools: LedgerTools;
  let clock: number;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
    clock = 1_000;
    tools = {
      state,
      queue: { enqueueTurns: async () => {}, prioritiseTurns: async () => {} },
      silence: createHolderSilence({ monotonicNow: () => clock, hearingSince: () => 0 }),
      mayReport: createReportLimit(() => clock),
      keys: { current: KEY, older: [] },
      agentsOf: () => undefined,
      billing: { limits: () => ({}), prices: () => new Map() },
      refresh: async () => ({ kind: 'fresh' }),
      author: () => ROBOT_AUTHOR,
      uploads: NO_UPLOADS,
      now: () => clock,
      log: silentLog,
    };
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const send = (draft: LedgerDraft) => answerLedger(tools, aVerifiedMessage(draft, state.readTurn, KEY));
  const begin = async (turn: Turn, requestId = 'w1@a') => {
    const { turnKey, epoch } = state.readTurn(turn.turnKey) ?? turn;
    return send({ kind: 'begin', requestId, turnKey, epoch, workerId: 'w1@host' });
  };
  const aBegunTurn = async (): Promise<Turn> => {
    const turn = aTurn({ state: 'queued', epoch: 1 });
    state.recordTurn(turn, null);
    expect(await begin(turn)).toMatchObject({ kind: 'begun' });
    return turn;
  };
  const cancel = ({ turnKey }: Turn) =>
    state.transaction(() => {
      const turn = state.readTurn(turnKey);
      if (turn !== undefined) endTurn(tools, turn, { end: 'cancelled', reason: 'a person took over' });
    });
  const heldOf = ({ turnKey }: Turn) => ({ turnKey, attempt: 1 });
  const failed = (turn: Turn, usage = USED): LedgerDraft => ({
    ...{ kind: 'fail', ...heldOf(turn), cause: 'infrastructure', reason: 'x', retryAfterMs: null, usage },
  });
  const frozen = (turn: Turn): LedgerDraft => {
    const { bundle, plan } = aPlanWithoutCommit('p');
    const parcel = { bundle, plan: { ...plan, usage: USED } };
    return { kind: 'freeze', ...heldOf(turn), parcel, finished: true };
  };
  const released = (turn: Turn): LedgerDraft => ({
    ...{ kind: 'release', ...heldOf(turn), reason: 'x', usage: USED },
  });

  it.each([
    ['fail', failed],
    ['freeze', frozen],
    ['release', released],
  ])('counts the usage in a %s once, although the turn was canceled', async (_kind, build) => {
    const turn = await aBegunTurn();
    cancel(turn);
    await send(build(turn));
    await send(build(turn));
    expect(state.sumSpendSince(0)).toEqual(USED);
    expect(state.readTurn(turn.turnKey)?.state).toBe('cancelled');
  });

  it('counts the usage of an attempt that another worker has taken over', async () => {
    const turn = await aBegunTurn();
    clock += 60_000;
    expect(await begin(turn, 'w1@b')).toMatchObject({ kind: 'begun', attempt: 2 });
    expect(await send(failed(turn))).toMatchObject({ kind: 'refused' });
    expect(state.sumSpendSince(0)).toEqual(USED);
  });

  it('counts no usage in an unproven message', async () => {
    const turn = await aBegunTurn();
    const message = { ...failed(turn), proof: 'f'.repeat(64) };
    expect(await answerLedger(tools, { message, from: 'w1' })).toMatchObject({ kind: 'refused' });
    expect(state.sumSpendSince(0)).toEqual(NOTHING);
  });

  it('counts an impossible usage only up to a limit, and still adds up', async () => {
    const turn = await aBegunTurn();
    const huge = Number.MAX_SAFE_INTEGER;
    await send(failed(turn, { inputTokens: huge, outputTokens: huge, costUsd: 1e308 }));
    expect(state.sumSpendSince(0)).toEqual({
      inputTokens: 100_000_000,
      outputTokens: 100_000_000,
      costUsd: 1_000,
    });
  });

  it('adds up impossible amounts of an earlier version', () => {
    const row = { repoId: 1, runId: null, attempt: 1, outputTokens: 0, costUsd: 0 };
    for (let number = 0; number < 1_030; number += 1) {
      const turnKey = String(number).padStart(64, '0');
      state.recordSpend({ ...row, turnKey, inputTokens: Number.MAX_SAFE_INTEGER }, clock);
    }
    expect(state.sumSpendSince(0).inputTokens).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
  });

  it('blocks a turn that a worker begins and releases again and again', async () => {
    const turn = aTurn({ state: 'queued', epoch: 1 });
    state.recordTurn(turn, null);
    let rounds = 0;
    for (; rounds < 200 && state.readTurn(turn.turnKey)?.state !== 'blocked'; rounds += 1) {
      clock += 600_000;
      const answer = await begin(turn, `w1@${rounds}`);
      if (answer.kind !== 'begun') break;
      const { attempt } = answer;
      await send({ kind: 'release', turnKey: turn.turnKey, attempt, reason: 'x' });
    }
    expect(state.readTurn(turn.turnKey)).toMatchObject({ state: 'blocked', crashes: 0 });
    expect(rounds).toBeLessThan(100);
  });

  it('accepts heartbeats of only 100 workers with one key at a time', async () => {
    const beat = (worker: string) =>
      send({ kind: 'heartbeat', workerId: worker, sequence: 1, host: 'h', pid: 1 });
    for (let number = 0; number < 100; number += 1)
      expect(await beat(`w1@h${number}`)).toEqual({ kind: 'ok' });
    expect(await beat('w1@h100')).toMatchObject({ kind: 'refused' });
    expect(await beat('w2@h')).toEqual({ kind: 'ok' });
    expect(state.listWorkerLeases()).toHaveLength(101);
  });

  it('does not limit the agent of another repository', async () => {
    const agent = { adapter: 'codex', model: undefined, fallback: [] } as const;
    tools = { ...tools, agentsOf: () => ({ agent, reviewAgent: agent }) };
    const limited = (limitedAdapter: string, turn: Turn): LedgerDraft => ({
      ...{ kind: 'fail', ...heldOf(turn), cause: 'infrastructure', reason: 'x', retryAfterMs: 60_000 },
      ...{ usage: NOTHING, limitedAdapter },
    });
    await send(limited('claude', await aBegunTurn()));
    expect(state.readAgentLimit('claude')).toBeUndefined();
    await send(limited('codex', await aBegunTurn()));
    expect(state.readAgentLimit('codex')).toBeDefined();
  });
});
