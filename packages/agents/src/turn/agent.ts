import type { AgentRequest } from '@mergexo/core/agent';

/** Why a turn got no usable answer. The worker decides by it whether and when to retry. */
type AgentFailure =
  | 'not-installed'
  | 'not-logged-in'
  | 'overloaded'
  | 'usage-limit'
  | 'context-exhausted'
  /** The agent does not know the thread any more: the caller starts a new one from the state summary. */
  | 'session-lost'
  | 'invalid-output'
  | 'timed-out'
  | 'silent'
  | 'killed'
  | 'crashed';

/** Consumed by the turn, not by the session as a whole; zero if the agent does not report it. */
export type AgentUsage = { inputTokens: number; outputTokens: number; costUsd: number };

export const NO_USAGE: AgentUsage = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

export type AgentFailed = {
  kind: 'failed';
  failure: AgentFailure;
  message: string;
  /** A failed turn costs as well. */
  usage: AgentUsage;
  retryAfterMs?: number;
};

export type AgentRun =
  | { kind: 'answered'; threadId: string | null; output: unknown; usage: AgentUsage }
  | AgentFailed;

export type ProgressStep = 'thinking' | 'command' | 'file' | 'tool' | 'message' | 'trouble';

/** Reported while the turn runs. Texts are short, printable, without secrets, and written by the agent. */
export type AgentEvent =
  | { kind: 'started'; pid: number }
  | { kind: 'log'; text: string }
  | { kind: 'progress'; step: ProgressStep; text: string };

/** Where a turn runs, and how to watch and end it. */
export type TurnPlace = {
  /** The slot. The agent may change nothing else on the disk but its home. */
  cwd: string;
  /** Private to the agent, and kept between turns so that sessions can be resumed. */
  home: string;
  signal: AbortSignal;
  /** Also visible in the sandbox, such as the mirror that the slot borrows objects from. */
  readOnlyPaths?: readonly string[];
  onEvent?: (event: AgentEvent) => void;
};

export type Agent = {
  name: string;
  runTurn(request: AgentRequest, place: TurnPlace): Promise<AgentRun>;
};
