import { findCapEnd } from '../runs/check-limits.js';
import type { RunStatus } from '../runs/run.js';
import type { Turn } from '../turns/turn.js';
import { isWaitingToRetry } from './retry-now.js';

/**
 * What holds work back that an operator can resume. `limit`: only an operator lifts the limit. `daily-limit`: the limit
 * also ends at midnight. `reply`: MergeXO asked a question. `backoff`: a retry is scheduled.
 */
export type Brake = 'blocked' | 'limit' | 'daily-limit' | 'reply' | 'backoff';

type Held = {
  /** The status of the pull request, or else of the run. */
  status: RunStatus;
  blockedKind: string | null;
  /** The live turn. */
  turn: Turn | undefined;
  now: number;
};

/** Returns what an operator can lift; undefined if the work continues without one. */
export function findBrake({ status, blockedKind, turn, now }: Held): Brake | undefined {
  if (status === 'blocked') return 'blocked';
  if (turn !== undefined) return isWaitingToRetry(turn, now) ? 'backoff' : undefined;
  if (status !== 'ready' && status !== 'awaiting_issue_followup') return undefined;
  const end = findCapEnd(blockedKind);
  if (end === 'operator') return 'limit';
  if (end === 'midnight') return 'daily-limit';
  return end === undefined && status === 'awaiting_issue_followup' ? 'reply' : undefined;
}
