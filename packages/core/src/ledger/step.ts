import { decideRetry, type TroubleKind } from '../turns/decide-retry.js';
import { attemptOf, isLive, type Turn } from '../turns/turn.js';
import type { LedgerAnswer } from './message.js';

/**
 * Facts that the turn does not store. Silence is measured on the monotonic clock, so a change of the system clock
 * cannot make a live worker count as dead.
 */
export type Facts = {
  now: number;
  /** Time since the holder's last heartbeat or since the poller began to receive heartbeats, whichever is later. */
  holderSilenceMs: number;
  /** True if Redis or the poller was down after the holder's last heartbeat, so that silence does not prove a crash. */
  hearingGap: boolean;
};

/** An answer to a message about a turn. The poller adds the turn's data to `begun`. */
export type Verdict =
  | Exclude<LedgerAnswer, { kind: 'begun' | 'reset' | 'steered' | 'attachment' | 'credential' }>
  | { kind: 'begun' };

/** The turn to store and the reply to the worker. If nothing changed, `turn` is the same object as before. */
export type Step = { turn: Turn; verdict: Verdict };

export function accept(turn: Turn): Step {
  return { turn, verdict: { kind: 'ok' } };
}

export function refuse(turn: Turn, reason: string): Step {
  return { turn, verdict: { kind: 'refused', reason } };
}

export function postpone(turn: Turn, delayMs: number, reason: string): Step {
  return { turn, verdict: { kind: 'retry-later', delayMs: Math.ceil(delayMs), reason } };
}

/**
 * Returns the reply that rejects a message. Undefined if the message is from the current attempt of a live or done
 * turn.
 */
export function checkHeld(turn: Turn, attempt: number): Verdict | undefined {
  if (attempt !== attemptOf(turn)) {
    return { kind: 'refused', reason: `attempt ${attempt} is not the current one (${attemptOf(turn)})` };
  }
  if (!isLive(turn) && turn.state !== 'done') {
    return { kind: 'stop', reason: turn.reason ?? `the turn is ${turn.state}` };
  }
  if (turn.workerId === null) return { kind: 'refused', reason: `attempt ${attempt} was returned` };
  return undefined;
}

/** Maximum length of a reason. Leaves room for a prefix within the limit of the message schema. */
const MAX_REASON = 3_000;

/** Takes the turn from its holder. A frozen plan stays frozen, so the next holder executes that plan. */
export function detach(turn: Turn): Turn {
  return { ...turn, workerId: null, state: turn.planDigest === null ? 'queued' : 'frozen' };
}

/** Counts the failure under its own kind. At the limit, the turn is blocked instead of retried. */
export function countTrouble(turn: Turn, trouble: { kind: TroubleKind; reason: string; now: number }): Turn {
  const { kind, now } = trouble;
  const reason = trouble.reason.slice(0, MAX_REASON);
  const counted = {
    ...turn,
    crashes: turn.crashes + (kind === 'crash' ? 1 : 0),
    agentFailures: turn.agentFailures + (kind === 'agent' || kind === 'unusable' ? 1 : 0),
    infrastructureFailures: turn.infrastructureFailures + (kind === 'infrastructure' ? 1 : 0),
    reason,
  };
  const retry = isFinal(turn, kind)
    ? ({ kind: 'blocked', reason: 'the agent failed' } as const)
    : decideRetry(kind, countOf(counted, kind));
  if (retry.kind === 'blocked') {
    return {
      ...counted,
      state: 'blocked',
      workerId: null,
      endedAt: now,
      reason: `${retry.reason}: ${reason}`,
    };
  }
  const notBefore = retry.delayMs === 0 ? null : now + retry.delayMs;
  return { ...detach(counted), heartbeatAt: now, notBefore };
}

/** True if the agent failed in a fix turn. A retry costs as much as the review, so a person decides. */
function isFinal({ kind }: Turn, trouble: TroubleKind): boolean {
  return kind === 'review_fix' && trouble === 'agent';
}

function countOf(turn: Turn, kind: TroubleKind): number {
  switch (kind) {
    case 'crash':
      return turn.crashes;
    case 'agent':
    case 'unusable':
      return turn.agentFailures;
    case 'infrastructure':
      return turn.infrastructureFailures;
  }
}
