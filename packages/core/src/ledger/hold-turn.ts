import { computePlanDigest, needsPush } from '../turns/plan.js';
import type { Turn } from '../turns/turn.js';
import type {
  FailMessage,
  FinishMessage,
  FreezeMessage,
  ProgressMessage,
  ReleaseMessage,
} from './message.js';
import { accept, checkHeld, countTrouble, detach, type Facts, refuse, type Step } from './step.js';

/** From here on the agent is not asked again: the first plan that arrives stays. */
export function freezeTurn(turn: Turn, message: FreezeMessage): Step {
  const barred = checkHeld(turn, message.attempt);
  if (barred) return { turn, verdict: barred };

  const planDigest = computePlanDigest(message.parcel);
  if (turn.planDigest !== null && turn.planDigest !== planDigest) {
    return refuse(turn, 'another plan is already frozen');
  }
  if (message.finished && needsPush(message.parcel.plan)) {
    return refuse(turn, 'a plan with commits is finished only after its push');
  }
  if (turn.state === 'speaking' || turn.state === 'done') return accept(turn);
  return accept({ ...turn, planDigest, state: message.finished ? 'speaking' : 'frozen' });
}

const STATE_AFTER = { pushed: 'speaking', superseded: 'superseded', refused: 'blocked' } as const;

export function finishTurn(turn: Turn, message: FinishMessage, facts: Pick<Facts, 'now'>): Step {
  const barred = checkHeld(turn, message.attempt);
  // The turn has ended by this very message: its repetition is no news.
  if (barred?.kind === 'stop' && turn.state === STATE_AFTER[message.outcome]) return accept(turn);
  if (barred) return { turn, verdict: barred };

  if (turn.state === 'speaking' || turn.state === 'done') return accept(turn);
  if (turn.state !== 'frozen') return refuse(turn, 'no plan is frozen');
  if (message.outcome === 'pushed') return accept({ ...turn, state: 'speaking', reason: null });
  return accept({
    ...turn,
    state: STATE_AFTER[message.outcome],
    reason: message.reason,
    workerId: null,
    endedAt: facts.now,
  });
}

/** Ends the attempt, not the turn; the next epoch's job comes after the backoff. */
export function failTurn(turn: Turn, message: FailMessage, facts: Pick<Facts, 'now'>): Step {
  if (isOver(turn, message.attempt)) return accept(turn);
  const barred = checkHeld(turn, message.attempt);
  if (barred) return { turn, verdict: barred };

  const counted = countTrouble(turn, { kind: message.cause, reason: message.reason, now: facts.now });
  if (counted.state === 'blocked') return accept(counted);
  const askedFor = message.retryAfterMs === null ? 0 : facts.now + message.retryAfterMs;
  const notBefore = Math.max(counted.notBefore ?? 0, askedFor);
  return accept({ ...counted, epoch: turn.epoch + 1, notBefore: notBefore > facts.now ? notBefore : null });
}

/** Hands the turn back without blame: drain, deploy, a lock that was lost. */
export function releaseTurn(turn: Turn, message: ReleaseMessage): Step {
  if (isOver(turn, message.attempt)) return accept(turn);
  const barred = checkHeld(turn, message.attempt);
  if (barred) return { turn, verdict: barred };
  return accept({ ...detach(turn), epoch: turn.epoch + 1, reason: message.reason });
}

export function noteProgress(turn: Turn, message: ProgressMessage, facts: Pick<Facts, 'now'>): Step {
  const barred = checkHeld(turn, message.attempt);
  if (barred) return { turn, verdict: barred };
  return accept({ ...turn, heartbeatAt: facts.now });
}

/** A late or repeated `fail` or `release` of an attempt that already ended changes nothing. */
function isOver(turn: Turn, attempt: number): boolean {
  if (attempt !== turn.begins.length) return false;
  return turn.workerId === null || turn.state === 'speaking' || turn.state === 'done';
}
