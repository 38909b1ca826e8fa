import type { Agents, ProgramRun, TestsSandboxChoice } from '@mergexo/agents';
import type { RepoConfig } from '@mergexo/config';
import type { Checking, SessionMode } from '@mergexo/core/prompts';
import type { FindSecrets, Redact } from '@mergexo/core/text';
import type { QuestionKind } from '@mergexo/core/turns';
import type { Git, Slot } from '@mergexo/git';
import type { Handouts } from './ask/handouts.js';
import type { Meter } from './ask/meter.js';
import type { SetupHome } from './check/setup-home.js';
import type { Report, TaskTurn } from './make-plan.js';

/** The tools that the planners of all turn kinds share. */
export type PlanTools = {
  git: Git;
  agents: Agents;
  runTests: RunProgram;
  runSetup: RunProgram;
  /** Whether the required tests and setup can run on this machine. */
  testsSandbox: TestsSandboxChoice;
  repos: readonly RepoConfig[];
  /**
   * Returns the agent's home for one issue, which is kept so that the agent can resume its session. The reviewer, the
   * agent that verifies its findings and each fallback have separate homes, so that no agent can leave instructions for
   * another.
   */
  homeOf: (task: Pick<Task, 'repo' | 'issueNumber' | 'begun'>, kind: QuestionKind) => string;
  /** Returns the directory for the files that the agent of a slot reads. */
  handoutsOf: (repo: RepoConfig, slot: Pick<Slot, 'path'>) => string;
  /** Returns the directory that keeps the results of setup for a slot. */
  setupDirectoryOf: (repo: RepoConfig, slot: Pick<Slot, 'path'>) => string;
  /** Time limits for one answer from the agent. */
  answerLimits: { wallMs: number; silenceMs: number };
  now: () => Date;
  /** Ends processes left running by workers that were killed. Returns the processes that it could not end. */
  endOrphans: () => Promise<readonly string[]>;
  redact: Redact;
  /** Finds secrets that must not be pushed. */
  findSecrets: FindSecrets;
  /** Whether a turn resumes the stored session. */
  sessionMode: SessionMode;
  /** Items to leave out of the agent's input, to measure their effect. */
  omits?: readonly string[];
};

/** The agent that works on a turn, and its model. */
export type AgentChoice = Omit<RepoConfig['agent'], 'fallback'>;

/**
 * Runs one of the repository's programs in the slot. Without `home`, the program gets a new home, which is removed
 * afterwards.
 */
export type RunProgram = (
  task: Pick<Task, 'repo' | 'signal' | 'report'> & { slot: Pick<Slot, 'path' | 'mirrorPath'> },
  program: { path: string; home: string | undefined },
) => Promise<ProgramRun>;

/** One attempt and its prepared slot. All steps of the attempt share this object. */
export type Task = {
  begun: TaskTurn;
  repo: RepoConfig;
  /** The agent for this turn. */
  agent: AgentChoice;
  issueNumber: number;
  branch: string;
  slot: Slot;
  handouts: Handouts;
  /** Unused if the repository has no setup. */
  setupHome: SetupHome;
  /** How the agent can check its work. */
  checking: Checking;
  startSha: string;
  baseSha: string;
  signal: AbortSignal;
  meter: Meter;
  report: Report;
  omits: readonly string[];
};

/** `bundle` is null if the commit is already on the branch. */
export type Commit = { sha: string; bundle: Buffer | null };
