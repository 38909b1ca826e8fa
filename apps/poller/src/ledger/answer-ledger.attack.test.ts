import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import {
  computeAttemptSecret,
  computeSender,
  type HeldDraft,
  type HeldMessage,
  type LedgerDraft,
  OPERATOR,
  proveMessage,
} from '@mergexo/core/ledger';
import type { Turn } from '@mergexo/core/turns';
import { openState, type State } from '@mergexo/state';
import {
  aPlan,
  aTurn,
  aVerifiedMessage,
  createTemporaryDirectory,
  NO_UPLOADS,
  ROBOT_AUTHOR,
  withProof,
} from '@mergexo/testkit';
import { answerLedger, type LedgerTools } from './answer-ledger.js';
import { createHolderSilence } from './holder-silence.js';
import { createReportLimit } from './report-limit.js';

const KEY = 'k'.repeat(64);
const USAGE = { inputTokens: 1, outputTokens: 1, costUsd: 1 };
const UNPROVEN = { kind: 'refused', reason: expect.stringContaining('does not prove') };

const DRAFTS: Record<HeldDraft['kind'], (held: { turnKey: string; attempt: number }) => HeldDraft> = {
  freeze: (held) => ({ kind: 'freeze', ...held, parcel: aPlan('mine'), finished: false }),
  finish: (held) => ({ kind: 'finish', ...held, outcome: 'pushed', reason: null }),
  fail: (held) => ({ kind: 'fail', ...held, cause: 'agent', reason: 'x', retryAfterMs: null, usage: USAGE }),
  release: (held) => ({ kind: 'release', ...held, reason: 'x' }),
  progress: (held) => ({ kind: 'progress', ...held, sequence: 1, step: 'x' }),
  attachment: (held) => ({ kind: 'attachment', ...held, number: 1 }),
  credential: (held) => ({ kind: 'credential', ...held, number: 0 }),
  steps: (held) => ({ kind: 'steps', ...held, first: 0, steps: [{ kind: 'run', text: 'x' }] }),
};
const KINDS = Object.values(DRAFTS).map((build) => build({ turnKey: '', attempt: 1 }).kind);

describe('an attacker who can send ledger messages', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  let tools: LedgerTools;
  let clock: number;
  let turn: Turn;
  let other: Turn;
  let seen: number;
  beforeAll(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
  });
  beforeEach(async () => {
    clock = 1_000;
    tools = {
      state,
      queue: { enqueueTurns: async () => {}, prioritiseTurns: async () => {} },
      silence: createHolderSilence({ monotonicNow: () => clock, hearingSince: () => 0 }),
      mayReport: createReportLimit(() => clock),
      billing: { limits: () => ({}), prices: () => new Map() },
      keys: { current: KEY, older: ['o'.repeat(64)] },
      agentsOf: () => undefined,
      refresh: async () => ({ kind: 'fresh' }),
      author: () => ROBOT_AUTHOR,
      uploads: NO_UPLOADS,
      now: () => clock,
      log: silentLog,
    };
    turn = await begin('w1@r1');
    other = await begin('w1@r2');
    seen = state.listEventsAfter(0, 10_000).at(-1)?.id ?? 0;
  });
  afterAll(() => {
    state.close();
    directory.remove();
  });

  const read = ({ turnKey }: Turn): Turn => state.readTurn(turnKey) ?? turn;
  const events = (type: string): number =>
    state.listEventsAfter(seen, 1_000).filter((event) => event.type === type).length;
  const steps = () => state.listAgentSteps({ turnKey: turn.turnKey }, 100);
  const begin = async (requestId: string, existing?: Turn): Promise<Turn> => {
    const one = existing ?? aTurn({ state: 'queued', epoch: 1 });
    if (existing === undefined) state.recordTurn(one, {});
    const { turnKey, epoch } = read(one);
    await send({ kind: 'begin', requestId, turnKey, epoch, workerId: 'w1@host' });
    return read(one);
  };
  const send = (message: unknown, from = 'w1') => answerLedger(tools, { message, from });
  const sendHonestly = (draft: LedgerDraft) =>
    answerLedger(tools, aVerifiedMessage(draft, state.readTurn, KEY));
  const secretOf = ({ turnKey }: Turn, attempt: number, requestId: string, key = KEY) => ({
    secret: computeAttemptSecret(key, { turnKey, attempt, requestId }),
    workerKey: computeSender(key, 'w1').key,
  });

  type Forgery = (draft: HeldDraft) => unknown;
  const FORGERIES: [string, Forgery][] = [
    ['with an invented proof', (draft) => ({ ...draft, proof: 'f'.repeat(64) })],
    [
      'with a proof made with the secret of another turn',
      (draft) => ({ ...draft, proof: proveMessage(draft, secretOf(other, 1, 'w1@r2')).proof }),
    ],
    ['with the secret of another attempt', (draft) => proveMessage(draft, secretOf(turn, 2, 'w1@r1'))],
    ['with the secret of another begin request', (draft) => proveMessage(draft, secretOf(turn, 1, 'w1@r9'))],
    [
      'with a secret from an older signing key',
      (draft) => proveMessage(draft, secretOf(turn, 1, 'w1@r1', 'o'.repeat(64))),
    ],
    [
      'with the right secret and the key of another worker',
      (draft) =>
        proveMessage(draft, { ...secretOf(turn, 1, 'w1@r1'), workerKey: computeSender(KEY, 'w2').key }),
    ],
    [
      'with the right secret and without a worker key',
      (draft) => proveMessage(draft, { ...secretOf(turn, 1, 'w1@r1'), workerKey: '' }),
    ],
    [
      "with the worker's key and a made-up secret",
      (draft) => proveMessage(draft, { ...secretOf(turn, 1, 'w1@r1'), secret: 'f'.repeat(64) }),
    ],
    ['with a secret from an empty key', (draft) => proveMessage(draft, secretOf(turn, 1, 'w1@r1', ''))],
    [
      'with the proof of another message of the same attempt',
      (draft) => {
        const proven = DRAFTS.progress({ turnKey: turn.turnKey, attempt: 1 });
        const { proof } = proveMessage(
          { ...proven, kind: 'progress', sequence: 9, step: 'y' },
          secretOf(turn, 1, 'w1@r1'),
        );
        return { ...draft, proof };
      },
    ],
    [
      'for an attempt that never began',
      (draft) => proveMessage({ ...draft, attempt: 7 }, secretOf(turn, 7, 'w1@r1')),
    ],
  ];
  const rows = KINDS.flatMap((kind) => FORGERIES.map(([name, forge]) => [kind, name, forge] as const));

  it.each(rows)('sends a %s %s: the turn does not change', async (kind, _name, forge) => {
    const before = read(turn);
    expect(await send(forge(DRAFTS[kind]({ turnKey: turn.turnKey, attempt: 1 })))).toEqual(UNPROVEN);
    expect(read(turn)).toEqual(before);
    expect(events('ledger_message_unproven')).toBe(1);
    expect(steps()).toEqual([]);
    expect(await sendHonestly(DRAFTS.progress({ turnKey: turn.turnKey, attempt: 1 }))).toEqual({
      kind: 'ok',
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['no proof', { proof: undefined }],
    ['a truncated proof', { proof: 'f'.repeat(63) }],
    ['a longer proof', { proof: 'f'.repeat(65) }],
    ['an empty proof', { proof: '' }],
    ['a null proof', { proof: null }],
    ['a number as proof', { proof: 0 }],
    ['a list as proof', { proof: ['f'.repeat(64)] }],
    ['a proof in capitals', { proof: 'F'.repeat(64) }],
    ['a proof in full-width digits', { proof: '\uFF10'.repeat(64) }],
    ['a proof that ends in a line break', { proof: `${'f'.repeat(63)}\n` }],
    ['a turn key in full-width digits', { turnKey: '\uFF11'.repeat(64) }],
    ['a turn key with a trailing line break', { turnKey: `${'a'.repeat(64)}\n` }],
    ['a turn key in capitals', { turnKey: 'A'.repeat(64) }],
    ['attempt 0', { attempt: 0 }],
    ['attempt 1.5', { attempt: 1.5 }],
    ['an attempt as text', { attempt: '1' }],
    ['an attempt number above the limit', { attempt: Number.MAX_SAFE_INTEGER }],
    ['an unknown field', { command: 'rm' }],
    ['an unexpected workerId', { workerId: 'w2' }],
    ['a field named constructor', { constructor: { prototype: { admin: true } } }],
    ['a 1 MB reason', { reason: 'x'.repeat(1_048_576) }],
    ['a reason that is an object', { reason: { toString: 'x' } }],
  ])('sends a release with %s: the poller refuses and reports it', async (_name, change) => {
    const proven = withProof(DRAFTS.release({ turnKey: turn.turnKey, attempt: 1 }), state.readTurn, KEY);
    expect(await send({ ...proven, ...change })).toMatchObject({ kind: 'refused' });
    expect(events('ledger_message_set_aside')).toBe(1);
    expect(read(turn)).toEqual(turn);
  });

  it.each([
    ['__proto__', '{"__proto__":{"finished":true},'],
    ['__proto__ after the message', ''],
    ['prototype', '{"prototype":{"finished":true},'],
  ])('tries to pollute the prototype through %s: no object changes', async (_name, start) => {
    const proven = JSON.stringify(
      withProof(DRAFTS.release({ turnKey: turn.turnKey, attempt: 1 }), state.readTurn, KEY),
    );
    const text = start === '' ? proven.replace(/\}$/, ',"__proto__":{"x":1}}') : start + proven.slice(1);
    expect(await send(JSON.parse(text))).toMatchObject({ kind: 'refused' });
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(read(turn)).toEqual(turn);
  });

  it.each([
    ['lists', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    [
      'lists inside a known field',
      `{"kind":"release","reason":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    ],
    ['lists (17 levels)', '['.repeat(17) + ']'.repeat(17)],
  ])(
    'sends deeply nested %s: the poller refuses and reports it, and keeps answering',
    async (_name, text) => {
      expect(await send(JSON.parse(text))).toMatchObject({ kind: 'refused' });
      expect(events('ledger_message_set_aside')).toBe(1);
      expect(await sendHonestly(DRAFTS.progress({ turnKey: turn.turnKey, attempt: 1 }))).toEqual({
        kind: 'ok',
      });
    },
  );

  it.each<[string, (draft: HeldMessage) => unknown]>([
    ['another plan', (message) => ({ ...message, parcel: aPlan('evil') })],
    ['`finished` set to true', (message) => ({ ...message, finished: true })],
    [
      'another commit in the same plan',
      (message) => {
        const parcel = aPlan('mine');
        const commit = { ...aPlan('evil').plan.commit };
        return { ...message, parcel: { ...parcel, plan: { ...parcel.plan, commit } } };
      },
    ],
    ['another bundle', (message) => ({ ...message, parcel: { ...aPlan('mine'), bundle: 'AAAA' } })],
  ])('replays a recorded freeze with %s: no plan is frozen', async (_name, change) => {
    const recorded = proveMessage(
      DRAFTS.freeze({ turnKey: turn.turnKey, attempt: 1 }),
      secretOf(turn, 1, 'w1@r1'),
    );
    expect(await send(change(recorded))).toEqual(UNPROVEN);
    expect(state.readPlan(turn.turnKey)).toBeNull();
  });

  it.each(KINDS)('replays a recorded %s ten times: nothing more changes', async (kind) => {
    const held = { turnKey: turn.turnKey, attempt: 1 };
    if (kind === 'finish') await sendHonestly(DRAFTS.freeze(held));
    const recorded = withProof(DRAFTS[kind](held), state.readTurn, KEY);
    await send(recorded);
    const after = read(turn);
    const recordedEvents = state.listEventsAfter(seen, 1_000).length;
    for (let i = 0; i < 10; i += 1) await send(recorded);
    expect(read(turn)).toEqual(after);
    expect(state.listEventsAfter(seen, 1_000)).toHaveLength(recordedEvents);
    expect(steps()).toHaveLength(kind === 'steps' ? 1 : 0);
  });

  it.each(KINDS)('replays a %s of an earlier attempt after a takeover: the poller refuses', async (kind) => {
    const recorded = withProof(DRAFTS[kind]({ turnKey: turn.turnKey, attempt: 1 }), state.readTurn, KEY);
    clock += 60_000;
    const taken = await begin('w1@r3', turn);
    expect(taken.begins).toEqual(['w1@r1', 'w1@r3']);
    expect(await send(recorded)).toMatchObject({ kind: 'refused' });
    expect([read(turn), steps()]).toEqual([taken, []]);
  });

  it.each(KINDS)('relabels a %s of an earlier attempt as current: the poller refuses', async (kind) => {
    const recorded = withProof(DRAFTS[kind]({ turnKey: turn.turnKey, attempt: 1 }), state.readTurn, KEY);
    clock += 60_000;
    const taken = await begin('w1@r3', turn);
    expect(await send({ ...recorded, attempt: 2 })).toEqual(UNPROVEN);
    expect(read(turn)).toEqual(taken);
  });

  it('repeats the begin of an ended attempt to learn a secret: the answer contains none', async () => {
    clock += 60_000;
    await begin('w1@r3', turn);
    const { turnKey, epoch } = read(turn);
    const answer = await send({
      kind: 'begin',
      requestId: 'w1@r1',
      turnKey,
      epoch,
      workerId: 'w1',
    });
    expect(answer).toEqual({ kind: 'refused', reason: expect.stringContaining('is over') });
  });

  it.each<[string, string, object]>([
    ['begins a turn as another worker', 'w2', { workerId: 'w1@host', requestId: 'w2@r7' }],
    ['begins a turn with another worker’s request id', 'w2', { workerId: 'w2@host', requestId: 'w1@r7' }],
    [
      'begins a turn as a worker whose name starts with its own',
      'w1',
      { workerId: 'w11@host', requestId: 'w1@r7' },
    ],
    [
      'begins a turn as a worker whose name is a prefix of its own',
      'w11',
      { workerId: 'w1@host', requestId: 'w11@r7' },
    ],
    ['begins a turn without any name', 'w2', { workerId: '@host', requestId: '@r7' }],
    ['begins a turn as the operator', 'w2', { workerId: 'operator@host', requestId: 'operator@r7' }],
  ])('%s: no attempt starts', async (_name, from, ids) => {
    const fresh = aTurn({ state: 'queued', epoch: 1 });
    state.recordTurn(fresh, {});
    const message = { kind: 'begin', turnKey: fresh.turnKey, epoch: 1, ...ids };
    expect(await send(message, from)).toMatchObject({ kind: 'refused' });
    expect(read(fresh).begins).toEqual([]);
    expect(events('ledger_message_unproven')).toBe(1);
  });

  it.each(['w2', OPERATOR, 'w'])(
    'reports, as %s, that worker w1 is leaving: w1 keeps its lease',
    async (from) => {
      const beat = { kind: 'heartbeat', workerId: 'w1@host', sequence: 1, host: 'h', pid: 1 };
      expect(await send(beat)).toEqual({ kind: 'ok' });
      expect(await send({ ...beat, leaving: true }, from)).toMatchObject({ kind: 'refused' });
      expect(state.readWorkerLease('w1@host')).toBeDefined();
    },
  );

  const aReset = () => ({
    kind: 'reset',
    by: 'cli',
    requestId: 'x',
    expiresAt: clock + 60_000,
    pulls: null,
    repo: null,
    headSha: null,
    reason: null,
  });
  it.each(['w1', 'local', 'w', 'operators'])(
    'as worker %s, asks to unblock everything: the poller refuses',
    async (from) => {
      const answer = await send(aReset(), from);
      expect(answer).toEqual({ kind: 'refused', reason: expect.stringContaining('may not send') });
    },
  );

  it.each([
    ['after it expired', { expiresAt: 999 }],
    ['with an unknown field', { sudo: true }],
    ['with a reason that is too long', { reason: 'x'.repeat(301) }],
    ['with a head commit but no pull request', { headSha: 'a'.repeat(40) }],
    ['from an unknown source', { by: 'worker' }],
    ['with an expiry that is too large', { expiresAt: 1e300 }],
  ])("sends an operator's request %s: the poller refuses", async (_name, change) => {
    expect(await send({ ...aReset(), ...change }, OPERATOR)).toMatchObject({ kind: 'refused' });
  });
});
