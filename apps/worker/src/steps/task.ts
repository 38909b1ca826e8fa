import type { Agents, TestsRun, TestsSandboxChoice } from '@mergexo/agents';
import type { RepoConfig } from '@mergexo/config';
import type { BegunTurn } from '@mergexo/core/ledger';
import type { SessionMode } from '@mergexo/core/prompts';
import type { FindSecrets, Redact } from '@mergexo/core/text';
import type { TurnKind } from '@mergexo/core/turns';
import type { Git, Slot } from '@mergexo/git';
import type { Meter } from './ask/meter.js';
import type { Report } from './make-plan.js';

/** The tools that the planners of all turn kinds share. */
export type PlanTools = {
  git: Git;
  agents: Agents;
  runTests: RunTests;
  /** Whether the required tests can run on this machine. */
  testsSandbox: TestsSandboxChoice;
  repos: readonly RepoConfig[];
  /**
   * Returns the agent's home for one issue, which is kept so that the agent can resume its session. The reviewer has a
   * separate home, so that the author cannot leave instructions in it.
   */
  homeOf: (repo: RepoConfig, issueNumber: number, kind: TurnKind) => string;
  now: () => Date;
  /** Ends processes left running by workers that were killed. Returns the processes that it could not end. */
  endOrphans: () => Promise<readonly string[]>;
  redact: Redact;
  /** Finds secrets that must not be pushed. */
  findSecrets: FindSecrets;
  /** Whether a turn resumes the stored session. */
  sessionMode: SessionMode;
};

/** Runs the repository's own tests in the slot. */
export type RunTests = (task: Task, path: string) => Promise<TestsRun>;

/** One attempt and its prepared slot. All steps of the attempt share this object. */
export type Task = {
  begun: BegunTurn;
  repo: RepoConfig;
  /** The agent for this turn. */
  agent: RepoConfig['agent'];
  issueNumber: number;
  branch: string;
  slot: Slot;
  startSha: string;
  baseSha: string;
  signal: AbortSignal;
  meter: Meter;
  report: Report;
};

/** `bundle` is null if the commit is already on the branch. */
export type Commit = { sha: string; bundle: Buffer | null };
