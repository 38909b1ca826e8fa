import { waitLeftMs } from '../basics/wait.js';
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

/** A run or a pull request has at most one turn in these states. */
export const LIVE_STATES = ['open', 'queued', 'running', 'frozen', 'speaking'] as const satisfies TurnState[];

/** Turns in these states need a worker, so a job must carry them in Redis. */
export const CARRIED_STATES = ['queued', 'running', 'frozen'] as const satisfies TurnState[];

export type Turn = {
  turnKey: string;
  repoId: number;
  runId: number | null;
  kind: TurnKind;
  issueNumber: number | null;
  prNumber: number | null;
  state: TurnState;
  /** Why the turn ended as it did, or what went wrong last. */
  reason: string | null;
  /** Grows with every job that is enqueued for the turn. */
  epoch: number;
  /** The request ids of all attempts in order; the attempt number is the length, so a late duplicate is known. */
  begins: readonly string[];
  /** The worker that holds the current attempt; null while nobody does. */
  workerId: string | null;
  /** When something was last known of an attempt: its begin, its last sign of life, or its failure. */
  heartbeatAt: number | null;
  crashes: number;
  agentFailures: number;
  infrastructureFailures: number;
  /** Backoff: no attempt begins before this time, counted from `heartbeatAt`. */
  notBefore: number | null;
  planDigest: string | null;
  openedAt: number;
  endedAt: number | null;
};

/** How long the backoff still lasts; 0 without one. */
export function backoffLeftMs({ notBefore, heartbeatAt, openedAt }: Turn, now: number): number {
  return notBefore === null ? 0 : waitLeftMs({ since: heartbeatAt ?? openedAt, until: notBefore }, now);
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
