import type { AgentRequest, StepKind } from '@mergexo/core/agent';

/** Why a turn got no usable answer. The worker uses this reason to decide whether and when to retry. */
type AgentFailure =
  | 'not-installed'
  | 'not-logged-in'
  | 'overloaded'
  | 'usage-limit'
  | 'context-exhausted'
  /** The agent no longer knows the thread. The caller starts a new thread from the state summary. */
  | 'session-lost'
  | 'invalid-output'
  | 'timed-out'
  | 'silent'
  /** The turn exceeded a limit of `[agent]` on memory, processes, open files or disk space. */
  | 'resource-limit'
  | 'killed'
  | 'crashed';

/** The usage of the turn, not of the whole session. Zero if the agent does not report usage. */
export type AgentUsage = {
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  /** The part of the input tokens that the provider read from its cache; undefined if unknown. */
  cachedTokens?: number | undefined;
  /** The model that answered; undefined if the agent does not report it. */
  model?: string;
};

export const NO_USAGE: AgentUsage = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

export type AgentFailed = {
  kind: 'failed';
  failure: AgentFailure;
  message: string;
  /** Failed turns consume tokens too. */
  usage: AgentUsage;
  retryAfterMs?: number;
};

export type AgentRun =
  | { kind: 'answered'; threadId: string | null; output: unknown; usage: AgentUsage }
  | AgentFailed;

/** Reported while the turn runs. The agent writes the texts; MergeXO shortens them and removes secrets. */
export type AgentEvent =
  | { kind: 'started'; pid: number }
  | { kind: 'log'; text: string }
  | { kind: 'progress'; step: StepKind; text: string }
  /** What the agent has used in this run so far. */
  | { kind: 'usage'; usage: AgentUsage }
  /** The network policy refused a host and port. */
  | { kind: 'refused-host'; host: string };

/** The directories of a turn, the signal that stops the turn, and the callback that receives its events. */
export type TurnContext = {
  /** The slot. Outside the slot, the agent may change only its home. */
  cwd: string;
  /** The agent's private directory, kept between turns so that sessions can be resumed. */
  home: string;
  signal: AbortSignal;
  /**
   * The home of the agent's commands, which setup filled with caches and tools. The agent's own program must not
   * use this directory, because code from the repository wrote the files in it.
   */
  commandHome?: string;
  /** Additional paths that the sandbox exposes, such as the mirror that shares its objects with the slot. */
  readOnlyPaths?: readonly string[];
  /** Directories with files for the agent, which it can read but not change. */
  handouts?: readonly string[];
  onEvent?: (event: AgentEvent) => void;
};

/** Whether the agent can run commands, and which hosts those commands can reach. `unknown` for the operator's own program. */
export type CommandAccess = { run: 'yes' | 'no' | 'unknown'; hosts: 'all' | readonly string[] };

export type Agent = {
  name: string;
  commands: CommandAccess;
  runTurn(request: AgentRequest, context: TurnContext): Promise<AgentRun>;
};
