import { remainingWaitMs } from '../basics/wait.js';
import type { TurnKind } from './turn-kind.js';

export const TURN_STATES = [
  'open',
  'queued',
  'running',
  'frozen',
  'speaking',
  'done',
  'deferred',
  'superseded',
  'blocked',
  'cancelled',
] as const;

export type TurnState = (typeof TURN_STATES)[number];

/** Describes the state of a turn on the dashboard and in replies. */
export const TURN_STATE_NAMES: Readonly<Record<TurnState, string>> = {
  open: 'waiting to be queued',
  queued: 'waiting for a worker',
  running: 'the agent is working',
  frozen: 'the result is saved; pushing next',
  speaking: 'posting to GitHub',
  done: 'done',
  deferred: 'deferred',
  superseded: 'superseded',
  blocked: 'blocked',
  cancelled: 'cancelled',
};

/** At most one turn of a run or pull request is in these states. */
export const LIVE_STATES = ['open', 'queued', 'running', 'frozen', 'speaking'] as const satisfies TurnState[];

/** Turns in these states need a worker, so each must have a job in Redis. */
export const CARRIED_STATES = ['queued', 'running', 'frozen'] as const satisfies TurnState[];

export type Turn = {
  turnKey: string;
  repoId: number;
  runId: number | null;
  kind: TurnKind;
  issueNumber: number | null;
  prNumber: number | null;
  state: TurnState;
  /** Why the turn ended, or its last failure. */
  reason: string | null;
  /** Increases with every job queued for the turn. */
  epoch: number;
  /**
   * Request ids of all attempts, in order, to recognize late duplicates. Their count is the attempt number.
   */
  begins: readonly string[];
  /** The worker that holds the current attempt; null if there is none. */
  workerId: string | null;
  /** When an attempt last began, sent a heartbeat or failed. */
  heartbeatAt: number | null;
  /** The sequence of the current attempt's last progress message; null if there was none. */
  progressSequence: number | null;
  crashes: number;
  agentFailures: number;
  infrastructureFailures: number;
  /** Backoff: no attempt starts before this time. The backoff began at `heartbeatAt`. */
  notBefore: number | null;
  planDigest: string | null;
  openedAt: number;
  endedAt: number | null;
};

/** Returns the remaining backoff; 0 if there is none. */
export function backoffLeftMs({ notBefore, heartbeatAt, openedAt }: Turn, now: number): number {
  return notBefore === null ? 0 : remainingWaitMs({ since: heartbeatAt ?? openedAt, until: notBefore }, now);
}

export function attemptOf(turn: Turn): number {
  return turn.begins.length;
}

export function isCarried(turn: Turn): boolean {
  return CARRIED_STATES.some((state) => state === turn.state);
}

export function isLive(turn: Turn): boolean {
  return LIVE_STATES.some((state) => state === turn.state);
}
