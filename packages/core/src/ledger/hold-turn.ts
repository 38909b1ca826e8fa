import { computePlanDigest, needsPush } from '../turns/plan.js';
import type { Turn } from '../turns/turn.js';
import type { MessageOf } from './message.js';
import { accept, checkHeld, countTrouble, detach, type Facts, refuse, type Step } from './step.js';

/** Freezes the plan. The first plan that arrives is final, so the agent does not run again. */
export function freezeTurn(turn: Turn, message: MessageOf<'freeze'>): Step {
  const barred = checkHeld(turn, message.attempt);
  if (barred) return { turn, verdict: barred };

  const planDigest = computePlanDigest(message.parcel);
  if (turn.planDigest !== null && turn.planDigest !== planDigest) {
    return refuse(turn, 'another plan is already frozen');
  }
  if (message.finished && needsPush(message.parcel.plan)) {
    return refuse(turn, 'a plan with commits can be finished only after its push');
  }
  if (turn.state === 'speaking' || turn.state === 'done') return accept(turn);
  if (turn.state === 'frozen' && !message.finished) return accept(turn);
  return accept({ ...turn, planDigest, state: message.finished ? 'speaking' : 'frozen' });
}

const STATE_AFTER = { pushed: 'speaking', superseded: 'superseded', refused: 'blocked' } as const;

export function finishTurn(turn: Turn, message: MessageOf<'finish'>, facts: Pick<Facts, 'now'>): Step {
  const barred = checkHeld(turn, message.attempt);
  // The same message already ended the turn, so a repetition is accepted.
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

/** Ends the attempt. The job of the next epoch starts after the backoff, unless too many failures block the turn. */
export function failTurn(turn: Turn, message: MessageOf<'fail'>, facts: Pick<Facts, 'now'>): Step {
  if (isOver(turn, message.attempt)) return accept(turn);
  const barred = checkHeld(turn, message.attempt);
  if (barred) return { turn, verdict: barred };

  const counted = countTrouble(turn, { kind: message.cause, reason: message.reason, now: facts.now });
  if (counted.state === 'blocked') return accept(counted);
  const askedFor = message.retryAfterMs === null ? 0 : facts.now + message.retryAfterMs;
  const notBefore = Math.max(counted.notBefore ?? 0, askedFor);
  return accept({ ...counted, epoch: turn.epoch + 1, notBefore: notBefore > facts.now ? notBefore : null });
}

/** From this attempt on, a release counts as an infrastructure failure, so that no worker can repeat it for ever. */
const MAX_FREE_ATTEMPTS = 50;

/** Releases the turn after a shutdown, a deploy or a lost lock, without counting a failure. */
export function releaseTurn(turn: Turn, message: MessageOf<'release'>, { now }: Pick<Facts, 'now'>): Step {
  if (isOver(turn, message.attempt)) return accept(turn);
  const barred = checkHeld(turn, message.attempt);
  if (barred) return { turn, verdict: barred };
  const { attempt, reason } = message;
  const released =
    attempt < MAX_FREE_ATTEMPTS
      ? { ...detach(turn), reason }
      : countTrouble(turn, { kind: 'infrastructure', reason, now });
  return accept(released.state === 'blocked' ? released : { ...released, epoch: turn.epoch + 1 });
}

/**
 * Accepts a repeated message, but ignores it. Anybody who can write to Redis can replay a message, and a
 * replay must not keep a dead worker's attempt alive.
 */
export function noteProgress(turn: Turn, message: MessageOf<'progress'>, facts: Pick<Facts, 'now'>): Step {
  const barred = checkHeld(turn, message.attempt);
  if (barred) return { turn, verdict: barred };
  const { sequence } = message;
  if (sequence <= (turn.progressSequence ?? -1)) return accept(turn);
  return accept({ ...turn, heartbeatAt: facts.now, progressSequence: sequence });
}

/** True if the attempt already ended, so that a late or repeated `fail` or `release` changes nothing. */
function isOver(turn: Turn, attempt: number): boolean {
  if (attempt !== turn.begins.length) return false;
  return turn.workerId === null || turn.state === 'speaking' || turn.state === 'done';
}
