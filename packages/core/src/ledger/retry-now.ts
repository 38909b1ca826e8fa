import { backoffLeftMs, isCarried, type Turn } from '../turns/turn.js';

export type AgentLimit = { adapter: string; until: number; reason: string };

/**
 * Ends the backoff of a turn whose last attempt failed; undefined if the turn is not waiting for a retry. If a provider
 * limit applies, the turn still waits until the limit resets. The new epoch has no job yet: reconcile adds a job and
 * removes the delayed one.
 */
export function retryNow(turn: Turn, now: number, limit: AgentLimit | undefined): Turn | undefined {
  if (!isWaitingToRetry(turn, now)) return undefined;
  const wait = limit === undefined ? { notBefore: null } : { notBefore: limit.until, reason: limit.reason };
  return { ...turn, epoch: turn.epoch + 1, ...wait };
}

export function isWaitingToRetry(turn: Turn, now: number): boolean {
  return isCarried(turn) && turn.workerId === null && backoffLeftMs(turn, now) > 0;
}
