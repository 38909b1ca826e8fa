import { decideRetry, type TroubleKind } from '../turns/decide-retry.js';
import { attemptOf, isLive, type Turn } from '../turns/turn.js';

/** What the poller knows besides the turn. Silence is measured on the monotonic clock: no stepped clock can fake a death. */
export type Facts = {
  now: number;
  /** How long nothing was heard of the holder, counted from the moment since when we could hear at all. */
  holderSilenceMs: number;
  /** Redis or the poller was away since the holder's last word, so its silence proves no crash. */
  hearingGap: boolean;
};

export type Verdict =
  | { kind: 'ok' }
  | { kind: 'begun' }
  | { kind: 'retry-later'; delayMs: number; reason: string }
  | { kind: 'stop'; reason: string }
  | { kind: 'refused'; reason: string };

/** The turn as it is to be stored, and what the worker is told. An unchanged turn is the same object. */
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

/** The fence: only the newest attempt may speak, and only while nothing ended the turn under it. */
export function checkHeld(turn: Turn, attempt: number): Verdict | undefined {
  if (attempt !== attemptOf(turn)) {
    return { kind: 'refused', reason: `attempt ${attempt} is not the current one (${attemptOf(turn)})` };
  }
  if (!isLive(turn) && turn.state !== 'done') {
    return { kind: 'stop', reason: turn.reason ?? `the turn is ${turn.state}` };
  }
  if (turn.workerId === null) return { kind: 'refused', reason: `attempt ${attempt} was handed back` };
  return undefined;
}

/** Room is left for what we put before it: an answer with a longer reason could not be read. */
const MAX_REASON = 3_000;

/** Takes the turn from its holder. A frozen plan stays frozen: it will only be carried out. */
export function detach(turn: Turn): Turn {
  return { ...turn, workerId: null, state: turn.planDigest === null ? 'queued' : 'frozen' };
}

/** Counts the trouble under its own kind; at the cap the turn is blocked, before it backs off. */
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

/** What an agent could not mend is for a person: asking again would cost as much as the review did. */
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
