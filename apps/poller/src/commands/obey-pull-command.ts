import { type Action, planNotice } from '@mergexo/core/actions';
import { type Command, isGivenOn, needsOperator, renderCommandHelp } from '@mergexo/core/commands';
import type { Remark } from '@mergexo/core/feedback';
import { neutraliseLine, neutraliseText } from '@mergexo/core/text';
import type { Pull, State } from '@mergexo/state';
import { explainForeignHead, unblockPull } from '../lifecycle/block-pull.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { describeRetried, retryWaitingTurn } from '../lifecycle/retry-on-request.js';
import type { Records, Repo } from '../tools.js';
import { describeReview } from './describe-review.js';
import { dismissFinding, resumeReview } from './obey-review-command.js';
import type { Reply } from './reply.js';
import { REPLIES, reply } from './reply.js';

export type GivenCommand = {
  command: Command;
  isOperator: boolean;
  remark: Remark;
  /** The causes of what we said before, as GitHub tells them: nothing is obeyed again after a loss of the state. */
  said: ReadonlySet<string>;
};

/** Does it and plans the one reply, in the transaction that records the comment: obeyed once, whatever crashes. */
export function obeyCommand(tools: Records, repo: Repo, pull: Pull, given: GivenCommand): void {
  const { state, now } = tools;
  const { command, remark } = given;
  if (REPLIES.some((kind) => given.said.has(buildReply(pull, remark, { kind, words: '' }).id))) return;
  const isAllowed = given.isOperator || !needsOperator(command);
  const { words, kind } = isAllowed
    ? carryOut(tools, repo, pull, given)
    : reply(`Only operators may do this here: ${repo.config.operatorLogins.join(', ')}.`);
  const { repoId, runId, issueNumber, prNumber } = pull;
  state.recordActions([buildReply(pull, remark, { kind, words })], now());
  const payload = {
    command: command.kind,
    by: remark.author.login,
    obeyed: isAllowed && command.kind !== 'unknown',
  };
  recordEvents(tools, [{ type: 'command_obeyed', repoId, runId, issueNumber, prNumber, payload }]);
}

function buildReply({ repoId, runId, prNumber }: Pull, remark: Remark, said: Reply): Action {
  const cause = [remark.commentId, remark.updatedAt];
  return planNotice({ ...said, repoId, runId, thread: prNumber, cause });
}

function carryOut(tools: Records, repo: Repo, pull: Pull, { command, remark }: GivenCommand): Reply {
  if (!isGivenOn(command, 'pull')) return reply('This command is for an issue; please comment it there.');
  switch (command.kind) {
    case 'help':
      return reply(renderCommandHelp());
    case 'unknown':
      return reply(
        `There is no command \`${neutraliseText(command.name).replaceAll('`', "'")}\`.\n\n${renderCommandHelp()}`,
      );
    case 'update':
    case 'status':
      return reply(describeStatus(tools.state, repo, pull));
    case 'retry':
    case 'unblock': {
      const headSha = command.kind === 'unblock' ? command.headSha : null;
      if (pull.status !== 'blocked') {
        const nothing = `There is nothing to ${command.kind}: this pull request is not blocked.`;
        if (headSha !== null) return reply(nothing);
        const retried = retryWaitingTurn(tools, repo.config, pull.runId);
        return reply(retried.kind === 'nothing-waits' ? nothing : describeRetried(retried, tools.now()));
      }
      const foreign = explainForeignHead(pull, headSha);
      if (foreign !== undefined) return reply(`Nothing was changed. ${foreign}.`);
      unblockPull(tools, pull, { who: remark.author.login, headSha });
      const accepted = headSha === null ? '' : ` ${headSha} is the accepted head now.`;
      const waiting = tools.state.listUnclaimedEvents(pull.repoId, pull.prNumber).length;
      const words = `Unblocked.${accepted} ${waiting} ${waiting === 1 ? 'comment waits' : 'comments wait'} for an answer.`;
      return { kind: 'unblock_notice', words };
    }
    case 'resume':
      return resumeReview(tools, repo, pull, remark);
    case 'dismiss':
      return dismissFinding(tools, pull, remark);
  }
}

function describeStatus(state: State, repo: Repo, pull: Pull): string {
  const turn = state.readLiveTurnOfRun(pull.runId);
  const waiting = state.listUnclaimedEvents(pull.repoId, pull.prNumber).length;
  const mismatches = state.countEventsOfPull(pull.repoId, pull.prNumber, 'action_mismatch');
  return [
    `- status: ${pull.status}${pull.blockedKind === null ? '' : ` (${pull.blockedKind})`}`,
    ...(pull.error === null ? [] : [`- reason: ${neutraliseLine(pull.error.slice(0, 600))}`]),
    `- accepted head: ${pull.acceptedHeadSha ?? 'none'}`,
    `- turn: ${turn === undefined ? 'none' : `${turn.kind}, ${turn.state}`}`,
    `- comments that wait for an answer: ${waiting}`,
    `- review: ${describeReview(state, repo, pull)}`,
    ...(mismatches === 0 ? [] : [`- comments of ours that a person changed or removed: ${mismatches}`]),
  ].join('\n');
}
