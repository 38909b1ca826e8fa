import { type Command, isGivenOn, renderCommandHelp } from '@mergexo/core/commands';
import type { Remark } from '@mergexo/core/feedback';
import { findBrake } from '@mergexo/core/ledger';
import { findCapEnd, isLiveRun, RUN_STATUS_NAMES } from '@mergexo/core/runs';
import type { Run } from '@mergexo/state';
import { describeRetried, retryWaitingTurn } from '../lifecycle/retry-on-request.js';
import { clearRun } from '../lifecycle/run/clear-run.js';
import type { Records, Repo } from '../tools.js';
import { answerCommand, type GivenCommand } from './answer-command.js';
import { describeRunStatus } from './describe-status.js';
import { type Reply, reply, replyUnknown } from './reply.js';
import { resumeIssue, runSteerCommand } from './run-steer-command.js';

/** Runs a command on an issue that has a run. Requires a transaction. */
export function runIssueCommand(tools: Records, repo: Repo, given: GivenCommand): void {
  const [run] = tools.state.listRunsOfIssue(repo.id, given.remark.thread);
  if (run === undefined) return;
  const { id: runId, repoId, issueNumber } = run;
  const carry = (): Reply => runCommand(tools, repo, { ...given, run });
  answerCommand(tools, repo, { given, thread: { repoId, runId, issueNumber }, runCommand: carry });
}

function runCommand(
  tools: Records,
  repo: Repo,
  { run, command, remark }: { run: Run; command: Command; remark: Remark },
): Reply {
  if (!isGivenOn(command, 'issue')) return reply(referToPull(run));
  switch (command.kind) {
    case 'help':
      return reply(renderCommandHelp());
    case 'unknown':
      return replyUnknown(command);
    // The reply to `start` is the status, because `runStartCommand` starts the flow after reading the issue.
    case 'start':
    case 'status':
      return reply(describeRunStatus(tools.state, run));
    case 'pause':
    case 'cancel':
      return runSteerCommand(tools, command.kind, { ...run, remark, reason: command.reason });
    case 'resume':
      return reply(
        resumeIssue(tools, { ...run, remark, reason: command.reason }) ??
          `There is nothing to resume: this issue is not paused.${referToReview(run)}`,
      );
    case 'retry':
    case 'unblock':
      return retry(tools, repo, { run, reason: command.reason });
  }
}

function referToReview({ prNumber }: Run): string {
  return prNumber === null ? '' : ` To resume the AI review, post the command on #${prNumber}.`;
}

function referToPull({ prNumber }: Run): string {
  return prNumber === null
    ? 'This command works only on a pull request, and this issue has none yet.'
    : `This command works only on a pull request. Post it on #${prNumber}.`;
}

function retry(tools: Records, repo: Repo, { run, reason }: { run: Run; reason: string | null }): Reply {
  const { state, now } = tools;
  const brake = findBrake({ ...run, turn: state.readLiveTurnOfRun(run.id), now: now() });
  if (brake === 'backoff') {
    const retried = retryWaitingTurn(tools, repo.config, { runId: run.id, reason });
    if (retried.kind !== 'nothing-waits') return reply(describeRetried(retried, now()));
  }
  if (run.prNumber !== null && isLiveRun(run))
    return reply(`The work is on pull request #${run.prNumber}. Post the command there.`);
  if (brake === undefined) return reply(`There is nothing to retry: ${explainNothing(run)}`);
  clearRun(tools, run);
  return {
    kind: 'unblock_notice',
    payload: { text: 'Unblocked. MergeXO retries the work.', acceptedHeadSha: null },
  };
}

function explainNothing({ status, blockedKind, error }: Run): string {
  return findCapEnd(blockedKind) === 'capacity'
    ? `this issue waits for free capacity, which a retry does not change: ${error}.`
    : `this issue is not blocked (status: ${RUN_STATUS_NAMES[status]}).`;
}
