import { aTurn } from '@mergexo/testkit';
import { decideLineage } from '../feedback/decide-lineage.js';
import { isReadyToAnswer } from '../feedback/is-ready-to-answer.js';
import { stepTurn } from '../ledger/step-turn.js';
import { backoffLeftMs, type Turn } from '../turns/turn.js';
import { isWithin, remainingWaitMs } from './wait.js';

const HOUR = 3_600_000;
const NOW = 1_700_000_000_000;

describe('a wait that is stored as wall-clock time', () => {
  it('ends on time, and never lasts longer than planned', () => {
    const wait = { since: NOW, until: NOW + 30_000 };
    expect([0, 10_000, 30_000, 50_000].map((ms) => remainingWaitMs(wait, NOW + ms))).toEqual([
      30_000, 20_000, 0, 0,
    ]);
    expect(remainingWaitMs(wait, NOW - 2 * HOUR)).toBe(0);
    expect([NOW - 1, NOW, NOW + 29_999, NOW + 30_000].map((now) => isWithin(30_000, NOW, now))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  const fail = (turn: Turn, retryAfterMs: number | null): Turn =>
    stepTurn(
      turn,
      {
        kind: 'fail',
        turnKey: turn.turnKey,
        attempt: 1,
        cause: 'agent',
        reason: 'broken',
        retryAfterMs,
        usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
      },
      { now: NOW, holderSilenceMs: 0, hearingGap: false },
    ).turn;
  const begin = (turn: Turn, now: number) =>
    stepTurn(
      turn,
      { kind: 'begin', requestId: 'r2', turnKey: turn.turnKey, epoch: turn.epoch, workerId: 'w' },
      { now, holderSilenceMs: 0, hearingGap: false },
    ).verdict;

  it.each([
    ['its backoff', null, 30_000],
    ['the time that its provider requested', 2 * HOUR, 2 * HOUR],
  ])('delays a failed turn by %s, and no longer if the clock is set back', (_what, asked, lasts) => {
    const running = aTurn({
      state: 'running',
      epoch: 1,
      begins: ['r1'],
      workerId: 'w',
      openedAt: NOW - 9 * HOUR,
    });
    const failed = fail(running, asked);
    expect(backoffLeftMs(failed, NOW)).toBe(lasts);
    expect(begin(failed, NOW + lasts - 1)).toMatchObject({ kind: 'retry-later', delayMs: 1 });
    expect(begin(failed, NOW - 3 * HOUR)).toEqual({ kind: 'begun' });
  });

  it('does not delay comments from before the clock was set back', () => {
    const events = [{ seenAt: NOW, kind: 'issue' as const, reviewId: null }];
    const isReady = (now: number) => isReadyToAnswer(events, { now, debounceMs: 5_000 });
    expect([NOW, NOW + 4_999, NOW + 5_000, NOW - 2 * HOUR].map(isReady)).toEqual([false, false, true, true]);
  });

  it('does not keep a rewritten head unclear after the clock was set back', () => {
    const judge = (sinceAcceptedMs: number) => decideLineage('behind', { sinceAcceptedMs, windowMs: 60_000 });
    expect([0, 59_999, 60_000, -2 * HOUR].map(judge)).toEqual([
      'unclear',
      'unclear',
      'rewritten',
      'rewritten',
    ]);
  });
});
