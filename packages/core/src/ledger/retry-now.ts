import { backoffLeftMs, isCarried, type Turn } from '../turn.js';

/**
 * Ends the wait of a turn whose last attempt failed; undefined when the turn does not wait for a retry. The new epoch has no
 * job yet: reconcile adds one without a delay and removes the delayed job.
 */
export function retryNow(turn: Turn, now: number): Turn | undefined {
  if (!isWaitingToRetry(turn, now)) return undefined;
  return { ...turn, epoch: turn.epoch + 1, notBefore: null };
}

export function isWaitingToRetry(turn: Turn, now: number): boolean {
  return isCarried(turn) && turn.workerId === null && backoffLeftMs(turn, now) > 0;
}
