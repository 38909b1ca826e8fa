import { type Action, planNotice } from '@mergexo/core/actions';
import { type Command, isGivenOn, needsOperator, renderCommandHelp } from '@mergexo/core/commands';
import type { Remark } from '@mergexo/core/feedback';
import { isLiveRun } from '@mergexo/core/runs';
import { neutraliseLine, neutraliseText } from '@mergexo/core/text';
import type { Run, State } from '@mergexo/state';
import { recordEvents } from '../lifecycle/record-events.js';
import { describeRetried, retryWaitingTurn } from '../lifecycle/retry-on-request.js';
import { clearRun } from '../lifecycle/run/clear-run.js';
import type { Records, Repo } from '../tools.js';

export type GivenOnIssue = {
  command: Command;
  isOperator: boolean;
  remark: Remark;
  /** The causes of what we said before, as GitHub tells them. */
  said: ReadonlySet<string>;
};

/** A command on an issue is obeyed and answered once, in the transaction that records the comment. */
export function obeyIssueCommand(tools: Records, repo: Repo, given: GivenOnIssue): void {
  const { state, now } = tools;
  const { command, remark, isOperator } = given;
  const [newest] = state.listRunsOfIssue(repo.id, remark.thread);
  if (newest === undefined) return;
  const { id: runId, repoId, issueNumber } = newest;
  const cause = [remark.commentId, remark.updatedAt];
  const reply = (kind: 'command_reply' | 'unblock_notice', words: string): Action =>
    planNotice({ kind, repoId, runId, thread: issueNumber, cause, words });
  if (given.said.has(reply('command_reply', '').id) || given.said.has(reply('unblock_notice', '').id)) return;
  const isAllowed = isOperator || !needsOperator(command);
  const words = isAllowed
    ? carryOut(tools, repo, newest, command)
    : `Only operators may do this here: ${repo.config.operatorLogins.join(', ')}.`;
  // Whoever rebuilds the state from GitHub reads in the kind that the wait is over.
  state.recordActions([reply(words === AGAIN ? 'unblock_notice' : 'command_reply', words)], now());
  const payload = {
    command: command.kind,
    by: remark.author.login,
    obeyed: isAllowed && command.kind !== 'unknown',
  };
  recordEvents(tools, [{ type: 'command_obeyed', repoId, runId, issueNumber, payload }]);
}

const AGAIN = 'It is tried again.';

function carryOut(tools: Records, repo: Repo, run: Run, command: Command): string {
  if (!isGivenOn(command, 'issue')) return referToPull(run);
  switch (command.kind) {
    case 'help':
      return renderCommandHelp();
    case 'unknown':
      return `There is no command \`${neutraliseText(command.name).replaceAll('`', "'")}\`.\n\n${renderCommandHelp()}`;
    // `obeyStart` acts on it, once the issue is read.
    case 'start':
      return describeRun(tools.state, run);
    case 'status':
      return describeRun(tools.state, run);
    case 'retry':
    case 'unblock':
      return retry(tools, repo, run);
  }
}

function referToPull({ prNumber }: Run): string {
  return prNumber === null
    ? 'This command is for a pull request, and there is none yet.'
    : `This command is for a pull request: please comment it on #${prNumber}.`;
}

function retry(tools: Records, repo: Repo, run: Run): string {
  if (run.status !== 'blocked') {
    const retried = retryWaitingTurn(tools, repo.config, run.id);
    if (retried.kind !== 'nothing-waits') return describeRetried(retried, tools.now());
  }
  if (run.prNumber !== null && isLiveRun(run))
    return `The work is on pull request #${run.prNumber}; please say it there.`;
  const isParked = run.status === 'ready' && run.blockedKind !== null;
  if (run.status !== 'blocked' && run.status !== 'awaiting_issue_followup' && !isParked)
    return `There is nothing to retry: this issue is not blocked (its status is ${run.status}).`;
  clearRun(tools, run);
  return AGAIN;
}

function describeRun(state: State, run: Run): string {
  const turn = state.readLiveTurnOfRun(run.id);
  const waiting = state.listUnclaimedEvents(run.repoId, run.issueNumber).length;
  return [
    `- run: ${run.flow}, ${run.status}${run.blockedKind === null ? '' : ` (${run.blockedKind})`}`,
    ...(run.error === null ? [] : [`- reason: ${neutraliseLine(run.error.slice(0, 600))}`]),
    ...(run.prNumber === null ? [] : [`- pull request: #${run.prNumber}`]),
    `- turn: ${turn === undefined ? 'none' : `${turn.kind}, ${turn.state}`}`,
    `- comments that wait: ${waiting}`,
  ].join('\n');
}
