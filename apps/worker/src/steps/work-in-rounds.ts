import { decideSession } from '@mergexo/core/prompts';
import type { PlanResult, StartContext } from '@mergexo/core/turns';
import type { Repairs } from './ask/ask.js';
import { type SessionUpdate, toPlanned } from './build-parcel.js';
import { type PlanFailed, type Planned, trouble } from './make-plan.js';
import type { Commit, PlanTools, Task } from './task.js';
import { testCommit } from './test-commit.js';

/** The result of one request to the agent. The commit is not tested yet. */
export type Round =
  | { kind: 'done'; session: SessionUpdate; result: PlanResult; commit: Commit | null }
  | { kind: 'failed'; failed: PlanFailed };

export type Asking = {
  threadId: string | null;
  repairs: Repairs;
  /** The output of the required tests if they failed on the agent's last commit. */
  complaint: string | null;
};

type Rounds = {
  /** The stored session and summary of the run. */
  context: Pick<StartContext, 'session' | 'stateSummary'>;
  ask(asking: Asking): Promise<Round>;
  giveUp(reason: string): PlanResult;
};

/** How many times the agent may repair a commit that fails the required tests. */
const MAX_REPAIRS = 3;

/** Asks the agent, tests its commit, and asks again while the required tests fail. */
export async function workInRounds(tools: PlanTools, task: Task, rounds: Rounds): Promise<Planned> {
  const { session: stored, stateSummary } = rounds.context;
  const { adapter } = task.agent;
  let { threadId } = decideSession({ mode: tools.sessionMode, adapter, stored, stateSummary });
  let complaint: string | null = null;
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

    const verdict = await testCommit(tools.runTests, task, commit.sha);
    if (verdict.kind === 'good') return plan(result, commit);
    if (verdict.kind === 'stopped') return trouble(verdict.reason, { usage: task.meter.total() });
    if (repairs >= MAX_REPAIRS) {
      const outcome = rounds.giveUp(quote(verdict.output));
      // A start keeps the failing commit as a checkpoint; an open pull request never gets a failing commit.
      return plan(outcome, outcome.kind === 'wait' ? commit : null);
    }
    complaint = verdict.output;
  }
}

function quote(output: string): string {
  return `The end of their output:\n\n~~~~text\n${output.slice(-6_000).replaceAll('~~~~', '~ ~ ~ ~')}\n~~~~`;
}
