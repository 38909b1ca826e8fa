import { HOLDER_SILENCE_MS } from '../basics/heartbeats.js';
import { attemptOf, backoffLeftMs, isCarried, type Turn } from '../turns/turn.js';
import type { BeginMessage } from './message.js';
import { countTrouble, type Facts, postpone, refuse, type Step } from './step.js';

/**
 * Starts an attempt and invalidates the previous one. A repeated message gets the same answer while its attempt lasts.
 */
export function beginTurn(turn: Turn, message: BeginMessage, facts: Facts): Step {
  const known = turn.begins.indexOf(message.requestId);
  if (known >= 0) return repeatBegin(turn, known + 1);
  if (!isCarried(turn)) return refuse(turn, `the turn is ${turn.state}`);
  if (message.epoch !== turn.epoch) {
    return refuse(turn, `the job has epoch ${message.epoch}, but the turn has epoch ${turn.epoch}`);
  }
  if (turn.workerId !== null) return takeOver(turn, message, facts);
  return startAttempt(turn, message, facts);
}

function repeatBegin(turn: Turn, attempt: number): Step {
  const current = attempt === attemptOf(turn) && turn.workerId !== null && isCarried(turn);
  return current ? { turn, verdict: { kind: 'begun' } } : refuse(turn, `attempt ${attempt} is over`);
}

/** Handles a job that Redis delivered again during an attempt: the worker died, stalled, or only lost its lock. */
function takeOver(turn: Turn, message: BeginMessage, facts: Facts): Step {
  const wait = HOLDER_SILENCE_MS - facts.holderSilenceMs;
  if (wait > 0) return postpone(turn, wait, `attempt ${attemptOf(turn)} sent a heartbeat a moment ago`);
  const freed = countTrouble(turn, {
    kind: facts.hearingGap ? 'infrastructure' : 'crash',
    reason: `worker ${turn.workerId} stopped responding in attempt ${attemptOf(turn)}`,
    now: facts.now,
  });
  if (freed.state === 'blocked') return refuse(freed, freed.reason ?? 'blocked');
  return startAttempt(freed, message, facts);
}

function startAttempt(turn: Turn, message: BeginMessage, facts: Facts): Step {
  const wait = backoffLeftMs(turn, facts.now);
  if (wait > 0) return postpone(turn, wait, turn.reason ?? 'backing off');
  const begun: Turn = {
    ...turn,
    state: turn.planDigest === null ? 'running' : 'frozen',
    begins: [...turn.begins, message.requestId],
    workerId: message.workerId,
    heartbeatAt: facts.now,
    progressSequence: null,
    notBefore: null,
  };
  return { turn: begun, verdict: { kind: 'begun' } };
}
