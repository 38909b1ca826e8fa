import type { AgentRequest } from '@mergexo/core';

/** Why a turn got no usable answer. Each has its own rule for trying again and its own words for the operator. */
export const AGENT_FAILURES = [
  'not-installed',
  'not-logged-in',
  'overloaded',
  'usage-limit',
  'context-exhausted',
  /** The agent does not know the thread any more: the caller starts a new one from the state summary. */
  'session-lost',
  'invalid-output',
  'timed-out',
  'silent',
  'killed',
  'crashed',
] as const;
export type AgentFailure = (typeof AGENT_FAILURES)[number];

/** What the turn itself consumed, not the session as a whole; zero where the agent does not say. */
export type AgentUsage = { inputTokens: number; outputTokens: number; costUsd: number };

export const NO_USAGE: AgentUsage = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

export type AgentFailed = {
  kind: 'failed';
  failure: AgentFailure;
  message: string;
  /** A failed turn costs as well. */
  usage: AgentUsage;
  resetsAtMs?: number;
  retryAfterMs?: number;
};

export type AgentRun =
  | { kind: 'answered'; threadId: string | null; output: unknown; usage: AgentUsage }
  | AgentFailed;

/** What an agent can be seen doing. */
export const PROGRESS_STEPS = ['thinking', 'command', 'file', 'tool', 'message', 'trouble'] as const;
export type ProgressStep = (typeof PROGRESS_STEPS)[number];

/** Something to watch while the turn runs. Texts are short, printable and without secrets, but the agent's own words. */
export type AgentEvent =
  | { kind: 'started'; pid: number }
  | { kind: 'log'; text: string }
  | { kind: 'progress'; step: ProgressStep; text: string };

/** Where a turn runs and how it is watched and ended. */
export type TurnPlace = {
  /** The slot: the only part of the disk, besides its home, that the agent may change. */
  cwd: string;
  /** Private to the agent and kept between turns, so that sessions can be resumed. */
  home: string;
  signal: AbortSignal;
  /** Visible besides what every turn sees, such as the mirror that the slot borrows objects from. */
  readOnlyPaths?: readonly string[];
  onEvent?: (event: AgentEvent) => void;
};

export type Agent = {
  name: string;
  runTurn(request: AgentRequest, place: TurnPlace): Promise<AgentRun>;
};
