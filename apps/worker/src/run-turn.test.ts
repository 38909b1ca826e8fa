import { jest } from '@jest/globals';
import { NO_USAGE } from '@mergexo/agents';
import { Failure, HEARTBEAT_MS, silentLog } from '@mergexo/core/basics';
import { type LedgerAnswer, LedgerMessage } from '@mergexo/core/ledger';
import { MAX_BUNDLE_BYTES } from '@mergexo/core/turns';
import type { TurnDelivery } from '@mergexo/queue';
import { aPlan, aPlanWithoutCommit, ROBOT_AUTHOR } from '@mergexo/testkit';
import { runTurn, type Tools } from './run-turn.js';

const turnKey = 'a'.repeat(64);
const begun: LedgerAnswer = {
  kind: 'begun',
  turnKey,
  attempt: 1,
  secret: 's'.repeat(64),
  turnKind: 'bugfix_start',
  repoId: 1,
  issueNumber: 7,
  prNumber: null,
  context: null,
  frozen: null,
  author: ROBOT_AUTHOR,
};
const never = { drain: new AbortController().signal, abandon: new AbortController().signal };
const delivery: TurnDelivery = { turnKey, epoch: 1, deliveryId: 'd', provesLock: async () => true };

/** Answers each kind of message from a table, and records every message from the worker. */
function createStage(
  overrides: Partial<Tools>,
  answers: Partial<Record<LedgerMessage['kind'], LedgerAnswer>> = {},
) {
  const sent: LedgerMessage[] = [];
  const answer = async (message: LedgerMessage): Promise<LedgerAnswer> => {
    sent.push(message);
    return answers[message.kind] ?? (message.kind === 'begin' ? begun : { kind: 'ok' });
  };
  const tools: Tools = {
    workerId: 'w@host',
    sender: () => ({ name: 'w', key: 'k'.repeat(64) }),
    ledger: { sendUntilAnswered: answer, sendOnce: answer },
    spool: { keep: async () => {}, drop: () => {} },
    makePlan: async () => ({ kind: 'planned', parcel: aPlan('p') }),
    pushPlan: async () => ({ kind: 'pushed', reason: null }),
    log: silentLog,
    ...overrides,
  };
  const drain = new AbortController();
  const kinds = (): string[] => sent.map(({ kind }) => kind).filter((kind) => kind !== 'progress');
  return {
    sent,
    kinds,
    drain: () => drain.abort(),
    run: (more: Partial<TurnDelivery> = {}) =>
      runTurn(tools, { ...delivery, ...more }, { ...never, drain: drain.signal }),
  };
}

describe('runTurn', () => {
  it('begins, freezes, pushes and finishes a turn, in this order', async () => {
    const stage = createStage({});
    expect(await stage.run()).toEqual({ kind: 'over', note: 'ok' });
    expect(stage.kinds()).toEqual(['begin', 'freeze', 'finish']);
  });

  it('freezes and finishes in one message when there is nothing to push', async () => {
    const pushPlan = async () => {
      throw new Error('pushed');
    };
    const stage = createStage({
      pushPlan,
      makePlan: async () => ({ kind: 'planned', parcel: aPlanWithoutCommit('p') }),
    });
    await stage.run();
    expect(stage.kinds()).toEqual(['begin', 'freeze']);
    expect(stage.sent.at(-1)).toMatchObject({ finished: true });
  });

  it('pushes a plan that is already frozen, without asking the agent again', async () => {
    const makePlan = async () => {
      throw new Error('asked again');
    };
    const stage = createStage({ makePlan }, { begin: { ...begun, attempt: 2, frozen: aPlan('p') } });
    await stage.run();
    expect(stage.kinds()).toEqual(['begin', 'finish']);
  });

  it('does not push after losing its lock, and releases the turn', async () => {
    const pushed: string[] = [];
    const stage = createStage({
      pushPlan: async () => {
        pushed.push('pushed');
        return { kind: 'pushed', reason: null };
      },
    });
    await stage.run({ provesLock: async () => false });
    expect([stage.kinds(), pushed]).toEqual([['begin', 'freeze', 'release'], []]);
  });

  it.each<[string, LedgerAnswer]>([
    ['refused', { kind: 'refused', reason: 'attempt 1 is not the current one' }],
    ['answered with stop', { kind: 'stop', reason: 'taken over by a person' }],
  ])('does not push when the freeze is %s', async (_name, freeze) => {
    const pushPlan = async () => {
      throw new Error('pushed');
    };
    const stage = createStage({ pushPlan }, { freeze });
    expect(await stage.run()).toMatchObject({ kind: 'over' });
    expect(stage.kinds()).toEqual(['begin', 'freeze']);
  });

  it('reports a failure for a plan that is too large, instead of sending the plan again and again', async () => {
    const bundle = Buffer.alloc(MAX_BUNDLE_BYTES + 10).toString('base64');
    const stage = createStage({
      makePlan: async () => ({ kind: 'planned', parcel: { ...aPlan('p'), bundle } }),
    });
    await stage.run();
    expect(stage.sent.at(-1)).toMatchObject({
      kind: 'fail',
      cause: 'agent',
      reason: expect.stringContaining('bundle'),
    });
  });

  it('cuts reasons to the maximum length that a message allows', async () => {
    const reason = 'x'.repeat(50_000);
    const failing = createStage({ pushPlan: async () => ({ kind: 'failed', reason, retryAfterMs: null }) });
    await failing.run();
    const refused = createStage({ pushPlan: async () => ({ kind: 'refused', reason }) });
    await refused.run();
    for (const { sent } of [failing, refused]) {
      const last = sent.at(-1);
      expect(last && 'reason' in last && last.reason?.length).toBe(3_000);
    }
  });

  it.each(['makePlan', 'pushPlan'] as const)(
    'reports an infrastructure failure when %s throws a Failure',
    async (step) => {
      const stage = createStage({
        [step]: async () => {
          throw new Failure('unavailable', 'the remote is unavailable', { retryAfterMs: 5_000 });
        },
      });
      await stage.run();
      expect(stage.sent.at(-1)).toMatchObject({
        kind: 'fail',
        cause: 'infrastructure',
        reason: 'the remote is unavailable',
        retryAfterMs: 5_000,
      });
    },
  );

  it('reports the usage of a failed attempt in a valid message', async () => {
    const usage = { inputTokens: 30, outputTokens: 7, costUsd: 0.25 };
    const stage = createStage({
      makePlan: async () => ({
        kind: 'failed',
        cause: 'unusable',
        reason: 'no',
        retryAfterMs: 40 * 86_400_000.5,
        usage,
      }),
    });
    await stage.run();
    const last = LedgerMessage.parse(stage.sent.at(-1));
    expect(last).toMatchObject({ kind: 'fail', cause: 'unusable', usage, retryAfterMs: 999_999_999 });
  });

  const USED = { inputTokens: 30, outputTokens: 7, costUsd: 0.25 };
  const stopped = { kind: 'failed', cause: 'infrastructure', reason: 'stopped', retryAfterMs: null } as const;

  it.each([
    ['reports its usage', USED, ['begin', 'release']],
    ['reports nothing if its agent reported no usage', NO_USAGE, ['begin']],
  ])('%s after the poller ended the attempt', async (_name, usage, kinds) => {
    jest.useFakeTimers();
    try {
      const stage = createStage(
        {
          makePlan: async (_begun, signal) => {
            await jest.advanceTimersByTimeAsync(HEARTBEAT_MS);
            expect(signal.aborted).toBe(true);
            return { ...stopped, usage };
          },
        },
        { progress: { kind: 'stop', reason: 'a person took over' } },
      );
      expect(await stage.run()).toEqual({ kind: 'over', note: 'a person took over' });
      expect(stage.kinds()).toEqual(kinds);
      if (usage === USED) expect(LedgerMessage.parse(stage.sent.at(-1))).toMatchObject({ usage });
    } finally {
      jest.useRealTimers();
    }
  });

  it('reports the usage of a drained attempt', async () => {
    const stage = createStage({
      makePlan: async () => {
        stage.drain();
        return { ...stopped, usage: USED };
      },
    });
    await stage.run();
    expect(LedgerMessage.parse(stage.sent.at(-1))).toMatchObject({ kind: 'release', usage: USED });
  });

  it.each([
    ['freeze', { kind: 'planned', parcel: aPlanWithoutCommit('p') }],
    ['fail', { kind: 'failed', cause: 'agent', reason: 'no', retryAfterMs: null, usage: NO_USAGE }],
  ] as const)('reports refused hosts once, in the %s message', async (kind, planned) => {
    const stage = createStage({
      makePlan: async (_begun, _signal, { refusedHost }) => {
        for (const host of ['evil.test:443', '[redacted].evil.test:443', 'evil.test:443']) refusedHost(host);
        for (let count = 0; count < 1_000; count += 1) refusedHost(`h${count}.test:443`);
        return planned;
      },
    });
    await stage.run();
    const last = LedgerMessage.parse(stage.sent.at(-1));
    expect(last).toMatchObject({ kind, refusedHosts: expect.arrayContaining(['evil.test:443']) });
    expect('refusedHosts' in last && last.refusedHosts).toHaveLength(20);
  });

  it('sends the plan to the poller even if the disk is full', async () => {
    const keep = async () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    const stage = createStage({ spool: { keep, drop: () => {} } });
    await stage.run();
    expect(stage.kinds()).toEqual(['begin', 'freeze', 'finish']);
  });

  it('retries after the delay in the poller’s answer', async () => {
    const stage = createStage({}, { begin: { kind: 'retry-later', delayMs: 1_234, reason: 'x' } });
    expect(await stage.run()).toEqual({ kind: 'later', delayMs: 1_234 });
  });
});
