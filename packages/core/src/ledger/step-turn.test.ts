import { aPlan, aPlanWithoutCommit, aTurn } from '@mergexo/testkit';
import { HOLDER_SILENCE_MS } from '../basics/heartbeats.js';
import type { Turn } from '../turns/turn.js';
import type { Facts, Step } from './step.js';
import { stepTurn, type TurnMessage } from './step-turn.js';

const NO_USAGE = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

const silent: Facts = { now: 1_000_000, holderSilenceMs: HOLDER_SILENCE_MS, hearingGap: false };
const alive: Facts = { ...silent, holderSilenceMs: 100 };
const afterOutage: Facts = { ...silent, hearingGap: true };

const queued = (overrides: Partial<Turn> = {}): Turn => aTurn({ state: 'queued', epoch: 1, ...overrides });
const begin = (turn: Turn, requestId: string, epoch = turn.epoch): TurnMessage => ({
  kind: 'begin',
  requestId,
  turnKey: turn.turnKey,
  epoch,
  workerId: `worker-of-${requestId}`,
});
const begun = (turn: Turn, requestId: string, facts = silent): Turn =>
  stepTurn(turn, begin(turn, requestId), facts).turn;
const freeze = (turn: Turn, attempt: number, name: string): TurnMessage => ({
  kind: 'freeze',
  turnKey: turn.turnKey,
  attempt,
  parcel: aPlan(name),
  finished: false,
});
const held = (turn: Turn, attempt: number) => ({ turnKey: turn.turnKey, attempt });
const withAttempt = (message: TurnMessage, attempt: number): TurnMessage =>
  message.kind === 'begin' ? message : { ...message, attempt };
const verdictKind = ({ verdict }: Step): string => verdict.kind;

describe('begin', () => {
  it('starts the first attempt', () => {
    const first = queued();
    const step = stepTurn(first, begin(first, 'a'), silent);
    expect(step.verdict).toEqual({ kind: 'begun' });
    expect(step.turn).toMatchObject({ state: 'running', begins: ['a'], workerId: 'worker-of-a', crashes: 0 });
  });

  it('returns the same attempt for a repeated request', () => {
    const turn = begun(queued(), 'a');
    const again = stepTurn(turn, begin(turn, 'a'), silent);
    expect(again.verdict.kind).toBe('begun');
    expect(again.turn).toBe(turn);
  });

  it('takes over from a holder that stopped responding, and counts a crash', () => {
    const first = begun(queued(), 'a');
    const second = stepTurn(first, begin(first, 'b'), silent);
    expect(second.verdict.kind).toBe('begun');
    expect(second.turn).toMatchObject({ begins: ['a', 'b'], crashes: 1, infrastructureFailures: 0 });
  });

  it('never accepts a late repetition of an older begin message', () => {
    const second = begun(begun(queued(), 'a'), 'b');
    const late = stepTurn(second, begin(second, 'a'), silent);
    expect(late.verdict.kind).toBe('refused');
    expect(late.turn).toBe(second);
  });

  it('does not take over from a holder that sent a heartbeat a moment ago', () => {
    const first = begun(queued(), 'a');
    const step = stepTurn(first, begin(first, 'b'), alive);
    expect(step.verdict).toMatchObject({ kind: 'retry-later', delayMs: HOLDER_SILENCE_MS - 100 });
    expect(step.turn).toBe(first);
  });

  it('counts no crash if Redis or the poller was down', () => {
    const first = begun(queued(), 'a');
    expect(begun(first, 'b', afterOutage)).toMatchObject({ crashes: 0, infrastructureFailures: 1 });
  });

  it('backs off after the second crash and blocks after the third', () => {
    const second = begun(begun(queued(), 'a'), 'b');
    const third = stepTurn(second, begin(second, 'c'), silent);
    expect(third.verdict).toMatchObject({ kind: 'retry-later', delayMs: 30_000 });
    expect(third.turn).toMatchObject({ crashes: 2, workerId: null, state: 'queued' });

    const later = { ...silent, now: silent.now + 30_000 };
    const again = begun(third.turn, 'd', later);
    expect(again).toMatchObject({ state: 'running', begins: ['a', 'b', 'd'] });
    const blocked = stepTurn(again, begin(again, 'e'), later);
    expect(blocked.verdict.kind).toBe('refused');
    expect(blocked.turn).toMatchObject({ state: 'blocked', crashes: 3, endedAt: later.now });
    expect(blocked.turn.reason).toContain('crashed 3 times');
  });

  it.each<[string, Partial<Turn>, number]>([
    ['of an older epoch', { epoch: 2 }, 1],
    ['of an epoch that does not exist yet', { epoch: 1 }, 9],
    ['of a turn that is not queued yet', { state: 'open', epoch: 0 }, 1],
    ['of a turn that is posting', { state: 'speaking' }, 1],
    ['of a turn that is done', { state: 'done' }, 1],
    ['of a blocked turn', { state: 'blocked' }, 1],
    ['of a cancelled turn', { state: 'cancelled' }, 1],
  ])('refuses a job %s', (_name, overrides, epoch) => {
    const turn = queued(overrides);
    const step = stepTurn(turn, begin(turn, 'a', epoch), silent);
    expect(step.verdict.kind).toBe('refused');
    expect(step.turn).toBe(turn);
  });

  it('passes a frozen plan unchanged to the next attempt', () => {
    const frozen = stepTurn(begun(queued(), 'a'), freeze(begun(queued(), 'a'), 1, 'p'), silent).turn;
    expect(begun({ ...frozen, epoch: 1 }, 'b')).toMatchObject({ state: 'frozen', begins: ['a', 'b'] });
  });
});

describe('the fence', () => {
  const first = begun(queued(), 'a');
  const second = begun(first, 'b');
  const messages: TurnMessage[] = [
    freeze(second, 1, 'p'),
    { kind: 'finish', ...held(second, 1), outcome: 'pushed', reason: null },
    { kind: 'fail', ...held(second, 1), cause: 'agent', reason: 'x', retryAfterMs: null, usage: NO_USAGE },
    { kind: 'release', ...held(second, 1), reason: 'x' },
    { kind: 'progress', ...held(second, 1), sequence: 1, step: 'x' },
  ];
  it.each(messages.map((message): [TurnMessage['kind'], TurnMessage] => [message.kind, message]))(
    'refuses a %s message from an older attempt',
    (_kind, message) => {
      const step = stepTurn(second, message, silent);
      expect(step.verdict.kind).toBe('refused');
      expect(step.turn).toBe(second);
    },
  );

  it.each(messages.map((message): [TurnMessage['kind'], TurnMessage] => [message.kind, message]))(
    'replies stop to a %s message from the current attempt after the turn was cancelled',
    (_kind, message) => {
      const cancelled: Turn = { ...second, state: 'cancelled', reason: 'taken over by a person' };
      const step = stepTurn(cancelled, withAttempt(message, 2), silent);
      expect(step.verdict).toEqual({ kind: 'stop', reason: 'taken over by a person' });
      expect(step.turn).toBe(cancelled);
    },
  );
});

describe('freeze and finish', () => {
  const running = begun(queued(), 'a');
  const frozen = stepTurn(running, freeze(running, 1, 'p'), silent).turn;
  const finish: TurnMessage = { kind: 'finish', ...held(running, 1), outcome: 'pushed', reason: null };

  it('keeps the first plan forever', () => {
    expect(frozen.state).toBe('frozen');
    const other = stepTurn(frozen, freeze(frozen, 1, 'another'), silent);
    expect(other.verdict).toEqual({ kind: 'refused', reason: 'another plan is already frozen' });
    expect(other.turn).toBe(frozen);
  });

  it('acknowledges a repeated freeze, even after the finish', () => {
    const speaking = stepTurn(frozen, finish, silent).turn;
    expect(speaking.state).toBe('speaking');
    for (const turn of [frozen, speaking]) {
      const step = stepTurn(turn, freeze(turn, 1, 'p'), silent);
      expect(step.verdict.kind).toBe('ok');
      expect(step.turn.state).toBe(turn.state);
    }
  });

  it('refuses to finish a turn without a frozen plan', () => {
    expect(stepTurn(running, finish, silent).verdict).toEqual({
      kind: 'refused',
      reason: 'no plan is frozen',
    });
  });

  it('ends as superseded if the push was not a fast-forward, and accepts a repeated message', () => {
    const superseded: TurnMessage = {
      ...finish,
      kind: 'finish',
      outcome: 'superseded',
      reason: 'head moved',
    };
    const { turn } = stepTurn(frozen, superseded, silent);
    expect(turn).toMatchObject({ state: 'superseded', reason: 'head moved', endedAt: silent.now });
    expect(verdictKind(stepTurn(turn, superseded, silent))).toBe('ok');
  });

  it('ends as blocked if a rule of the remote forbids the push', () => {
    const refused: TurnMessage = {
      ...finish,
      kind: 'finish',
      outcome: 'refused',
      reason: 'protected branch',
    };
    const { turn } = stepTurn(frozen, refused, silent);
    expect(turn).toMatchObject({ state: 'blocked', reason: 'protected branch', workerId: null });
    expect(verdictKind(stepTurn(turn, refused, silent))).toBe('ok');
  });

  it('freezes and finishes a plan without commits in one message', () => {
    const message: TurnMessage = {
      kind: 'freeze',
      ...held(running, 1),
      parcel: aPlanWithoutCommit('p'),
      finished: true,
    };
    expect(stepTurn(running, message, silent).turn.state).toBe('speaking');
  });

  it('does not finish a plan with unpushed commits in its freeze message', () => {
    const message: TurnMessage = { kind: 'freeze', ...held(running, 1), parcel: aPlan('p'), finished: true };
    expect(stepTurn(running, message, silent).verdict.kind).toBe('refused');
  });
});

describe('fail and release', () => {
  const running = begun(queued(), 'a');

  it('requeues a failed turn after the backoff, and counts the failure only under its cause', () => {
    const message: TurnMessage = {
      kind: 'fail',
      ...held(running, 1),
      cause: 'agent',
      reason: 'x',
      retryAfterMs: null,
      usage: NO_USAGE,
    };
    const { turn } = stepTurn(running, message, silent);
    expect(turn).toMatchObject({
      state: 'queued',
      epoch: 2,
      workerId: null,
      agentFailures: 1,
      crashes: 0,
      infrastructureFailures: 0,
      notBefore: silent.now + 30_000,
    });
    expect(stepTurn(turn, message, silent)).toEqual({ turn, verdict: { kind: 'ok' } });
  });

  it('does not ask the agent again after a failed fix', () => {
    const fixing: Turn = { ...running, kind: 'review_fix' };
    const fail = (cause: 'agent' | 'infrastructure'): TurnMessage => ({
      kind: 'fail',
      ...held(fixing, 1),
      cause,
      reason: 'x',
      retryAfterMs: null,
      usage: NO_USAGE,
    });
    expect(stepTurn(fixing, fail('agent'), silent).turn).toMatchObject({
      state: 'blocked',
      reason: 'the agent failed: x',
    });
    expect(stepTurn(fixing, fail('infrastructure'), silent).turn.state).toBe('queued');
  });

  it('keeps the frozen plan of a turn whose push failed', () => {
    const frozen = stepTurn(running, freeze(running, 1, 'p'), silent).turn;
    const message: TurnMessage = {
      kind: 'fail',
      ...held(running, 1),
      cause: 'infrastructure',
      reason: 'network',
      retryAfterMs: 7_000,
      usage: NO_USAGE,
    };
    expect(stepTurn(frozen, message, silent).turn).toMatchObject({
      state: 'frozen',
      planDigest: frozen.planDigest,
      epoch: 2,
      notBefore: silent.now + 7_000,
    });
  });

  it('releases the turn without counting a failure, and refuses a later freeze', () => {
    const { turn } = stepTurn(running, { kind: 'release', ...held(running, 1), reason: 'draining' }, silent);
    expect(turn).toMatchObject({ state: 'queued', epoch: 2, crashes: 0, agentFailures: 0, notBefore: null });
    expect(stepTurn(turn, freeze(turn, 1, 'p'), silent).verdict.kind).toBe('refused');
  });

  it('change nothing after the finish', () => {
    const speaking: Turn = { ...running, state: 'speaking', planDigest: 'd' };
    const late: TurnMessage = {
      kind: 'fail',
      ...held(running, 1),
      cause: 'agent',
      reason: 'x',
      retryAfterMs: null,
      usage: NO_USAGE,
    };
    expect(stepTurn(speaking, late, silent)).toEqual({ turn: speaking, verdict: { kind: 'ok' } });
    const release: TurnMessage = { kind: 'release', ...held(running, 1), reason: 'x' };
    expect(stepTurn(speaking, release, silent)).toEqual({ turn: speaking, verdict: { kind: 'ok' } });
  });
});
