import { type Complaint, decideSession } from '@mergexo/core/prompts';
import type { PlanResult, StartContext } from '@mergexo/core/turns';
import type { Repairs } from './ask/ask.js';
import { type SessionUpdate, toPlanned } from './build-parcel.js';
import type { Proof } from './check/prove-tests.js';
import { setUp } from './check/set-up.js';
import { testCommit } from './check/test-commit.js';
import { type PlanFailed, type Planned, trouble } from './make-plan.js';
import type { Commit, PlanTools, Task } from './task.js';

/** The result of one request to the agent. The commit is not tested yet. */
export type Round =
  | { kind: 'done'; session: SessionUpdate; result: PlanResult; commit: Commit | null }
  | { kind: 'failed'; failed: PlanFailed };

export type Asking = {
  threadId: string | null;
  repairs: Repairs;
  /** The problem with the agent's last commit. */
  complaint: Complaint | null;
};

type Rounds = {
  /** The stored session and summary of the run. */
  context: Pick<StartContext, 'session' | 'stateSummary'>;
  ask(asking: Asking): Promise<Round>;
  /** Checks that the commit's tests fail without the fix. Called after the tests passed on the commit. */
  prove?(sha: string): Promise<Proof>;
  giveUp(complaint: Complaint): PlanResult;
};

/** How many times the agent may repair a commit that fails the required tests. */
const MAX_REPAIRS = 3;

/** Asks the agent, tests its commit, and asks again while the required tests fail. */
export async function workInRounds(tools: PlanTools, task: Task, rounds: Rounds): Promise<Planned> {
  const { session: stored, stateSummary } = rounds.context;
  const { adapter } = task.agent;
  let { threadId } = decideSession({ mode: tools.sessionMode, adapter, stored, stateSummary });
  let complaint: Complaint | null = null;
  const unusable = { left: 1 };
  for (let repairs = 0; ; repairs += 1) {
    const round = await rounds.ask({ threadId, repairs: unusable, complaint });
    if (round.kind === 'failed') return round.failed;
    const { session, result, commit } = round;
    threadId = session.threadId;
    const plan = (outcome: PlanResult, pushed: Commit | null): Planned =>
      toPlanned(tools, task, { session, result: outcome, commit: pushed });
    // Work that waits for a person does not need to pass the tests.
    if (commit === null || result.kind === 'wait') return plan(result, commit);

    const checked = await check(tools, task, { rounds, sha: commit.sha });
    if (checked.kind === 'good') return plan(addProof(result, checked.provedBy), commit);
    if (checked.kind === 'stopped') return trouble(checked.reason, { usage: task.meter.total() });
    if (repairs >= MAX_REPAIRS) {
      const outcome = rounds.giveUp(checked.complaint);
      // A start keeps the failing commit as a checkpoint; an open pull request never gets a failing commit.
      return plan(outcome, outcome.kind === 'wait' ? commit : null);
    }
    complaint = checked.complaint;
    // The checks removed the results of setup. A setup failure on the commit is already in the complaint.
    const ready = task.setupHome.path() === undefined ? undefined : await setUp(tools, task, commit.sha);
    if (ready?.kind === 'stopped') return trouble(ready.reason, { usage: task.meter.total() });
  }
}

type Checked =
  | { kind: 'good'; provedBy: readonly string[] | undefined }
  | { kind: 'bad'; complaint: Complaint }
  | { kind: 'stopped'; reason: string };

async function check(
  tools: PlanTools,
  task: Task,
  { rounds, sha }: { rounds: Rounds; sha: string },
): Promise<Checked> {
  const verdict = await testCommit(tools, task, sha);
  if (verdict.kind === 'stopped') return verdict;
  if (verdict.kind === 'tests-failed') return { kind: 'bad', complaint: verdict };
  const proof = (await rounds.prove?.(sha)) ?? { kind: 'unchecked' };
  if (proof.kind === 'stopped') return proof;
  if (proof.kind === 'unproved')
    return { kind: 'bad', complaint: { kind: 'tests-prove-nothing', files: proof.files } };
  return { kind: 'good', provedBy: proof.kind === 'proved' ? proof.files : undefined };
}

function addProof(result: PlanResult, provedBy: readonly string[] | undefined): PlanResult {
  return result.kind === 'pull' && provedBy !== undefined ? { ...result, provedBy: [...provedBy] } : result;
}
