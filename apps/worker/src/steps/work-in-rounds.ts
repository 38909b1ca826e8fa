import type { PlanResult } from '@mergexo/core/turns';
import { buildParcel, type Words } from './build-parcel.js';
import { judgeCommit } from './judge-commit.js';
import { type PlanFailed, type Planned, trouble } from './make-plan.js';
import type { Commit, PlanTools, Task } from './task.js';

/** What came of asking the agent once: something to be frozen, judged first if there is a commit. */
export type Round =
  | { kind: 'done'; words: Words; result: PlanResult; commit: Commit | null }
  | { kind: 'failed'; failed: PlanFailed };

export type Rounds = {
  /** Asks the agent; the complaint is the output of the tests that failed on its last work. */
  ask(complaint: string | null): Promise<Round>;
  giveUp(reason: string): PlanResult;
};

/** Required tests that fail go back to the agent this often. */
const MAX_REPAIRS = 3;

/** Asks, judges what came of it, and asks again while the tests of the repository fail. */
export async function workInRounds(tools: PlanTools, task: Task, rounds: Rounds): Promise<Planned> {
  let complaint: string | null = null;
  for (let repairs = 0; ; repairs += 1) {
    const round = await rounds.ask(complaint);
    if (round.kind === 'failed') return round.failed;
    const { words, result, commit } = round;
    const plan = (outcome: PlanResult, pushed: Commit | null): Planned => ({
      kind: 'planned',
      parcel: buildParcel(tools.redact, task, { words, result: outcome, commit: pushed }),
    });
    // What waits for a person is no claim that anything passes.
    if (commit === null || result.kind === 'wait') return plan(result, commit);

    const verdict = await judgeCommit(tools.judge, task, commit.sha);
    if (verdict.kind === 'good') return plan(result, commit);
    if (verdict.kind === 'stopped') return trouble(verdict.reason, { usage: task.meter.total() });
    if (repairs >= MAX_REPAIRS) {
      const outcome = rounds.giveUp(quote(verdict.output));
      // A start keeps what it has as a checkpoint; an open pull request gets nothing that fails.
      return plan(outcome, outcome.kind === 'wait' ? commit : null);
    }
    complaint = verdict.output;
  }
}

function quote(output: string): string {
  return `The end of their output:\n\n~~~~text\n${output.slice(-6_000).replaceAll('~~~~', '~ ~ ~ ~')}\n~~~~`;
}
