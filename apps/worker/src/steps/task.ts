import type { Agents, TestsRun, TestsSandboxChoice } from '@mergexo/agents';
import type { RepoConfig } from '@mergexo/config';
import type { BegunTurn } from '@mergexo/core/ledger';
import type { RepoFile, SessionMode } from '@mergexo/core/prompts';
import type { Redact } from '@mergexo/core/text';
import type { TurnKind } from '@mergexo/core/turns';
import type { Git, Slot } from '@mergexo/git';
import type { Meter } from './ask/meter.js';
import type { Report } from './make-plan.js';

/** What every kind of turn is planned with. */
export type PlanTools = {
  git: Git;
  agents: Agents;
  judge: RunTests;
  /** Whether the required tests can run on this machine. */
  testsSandbox: TestsSandboxChoice;
  repos: readonly RepoConfig[];
  /**
   * The agent's home for one issue, kept so that its session can be resumed. A reviewer has another one than the author,
   * who could leave it words there.
   */
  homeOf: (repo: RepoConfig, issueNumber: number, kind: TurnKind) => string;
  now: () => Date;
  /** Ends what killed workers left running; names what could not be ended. */
  endOrphans: () => Promise<readonly string[]>;
  redact: Redact;
  /** Whether a turn goes on in the stored session; it does unless told otherwise. */
  sessionMode?: SessionMode;
  /** `.mergexo/prompts/*.md` and the coding guidelines, as they are on the default branch. */
  readRules?: (task: Task) => Promise<readonly RepoFile[]>;
};

/** Runs the repository's own tests in the slot. */
export type RunTests = (task: Task, path: string) => Promise<TestsRun>;

/** One attempt with its prepared slot: what all its steps share. */
export type Task = {
  begun: BegunTurn;
  repo: RepoConfig;
  /** The agent that is asked in this turn. */
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

/** Without a bundle it is on the branch already. */
export type Commit = { sha: string; bundle: Buffer | null };
