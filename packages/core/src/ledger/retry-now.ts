import { backoffLeftMs, isCarried, type Turn } from '../turns/turn.js';

export type AgentLimit = { adapter: string; until: number; reason: string };

/**
 * Ends the wait of a turn whose last attempt failed; undefined when the turn does not wait for a retry. A limit of the
 * provider outlasts the operator's request: the turn waits until the limit resets. The new epoch has no job yet:
 * reconcile adds one and removes the delayed job.
 */
export function retryNow(turn: Turn, now: number, limit: AgentLimit | undefined): Turn | undefined {
  if (!isWaitingToRetry(turn, now)) return undefined;
  const wait = limit === undefined ? { notBefore: null } : { notBefore: limit.until, reason: limit.reason };
  return { ...turn, epoch: turn.epoch + 1, ...wait };
}

export function isWaitingToRetry(turn: Turn, now: number): boolean {
  return isCarried(turn) && turn.workerId === null && backoffLeftMs(turn, now) > 0;
}
