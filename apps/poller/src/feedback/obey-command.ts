import {
  type Action,
  type Command,
  type Log,
  neutraliseLine,
  neutraliseText,
  planNotice,
  type Remark,
  renderCommandHelp,
} from '@mergexo/core';
import type { Pull, State } from '@mergexo/state';
import { recordEvents } from '../record-events.js';
import type { Repo } from '../repo.js';
import { RETRYING, retryWaitingTurn } from '../retry-waiting-turn.js';
import { describeReview } from '../review/describe-review.js';
import { dismissFinding, resumeReview } from '../review/obey-review-command.js';
import { explainForeignHead, unblockPull } from './block-pull.js';

type Tools = { state: State; now: () => number; log: Log };

export type GivenCommand = {
  command: Command;
  isOperator: boolean;
  remark: Remark;
  /** The causes of what we said before, as GitHub tells them: nothing is obeyed again after a loss of the state. */
  said: ReadonlySet<string>;
};

/** Does it and plans the one reply, in the transaction that records the comment: obeyed once, whatever crashes. */
export function obeyCommand(tools: Tools, repo: Repo, pull: Pull, given: GivenCommand): void {
  const { state, now } = tools;
  const { command, remark } = given;
  if (REPLIES.some((kind) => given.said.has(buildReply(pull, remark, { kind, words: '' }).id))) return;
  const { words, kind } = given.isOperator
    ? carryOut(tools, repo, pull, given)
    : say(`Only operators may do this here: ${repo.config.operatorLogins.join(', ')}.`);
  const { repoId, runId, issueNumber, prNumber } = pull;
  state.recordActions([buildReply(pull, remark, { kind, words })], now());
  const payload = {
    command: command.kind,
    by: remark.author.login,
    obeyed: given.isOperator && command.kind !== 'unknown',
  };
  recordEvents(tools, [{ type: 'command_obeyed', repoId, runId, issueNumber, prNumber, payload }]);
}

const REPLIES = ['command_reply', 'unblock_notice', 'resume_notice'] as const;

function buildReply({ repoId, runId, prNumber }: Pull, remark: Remark, said: Said): Action {
  const cause = [remark.commentId, remark.updatedAt];
  return planNotice({ ...said, repoId, runId, thread: prNumber, cause });
}

/** What lifts a brake says so in its kind: whoever rebuilds the state from GitHub reads it there. */
export type Said = { kind: (typeof REPLIES)[number]; words: string };

export const say = (words: string): Said => ({ kind: 'command_reply', words });

function carryOut(tools: Tools, repo: Repo, pull: Pull, { command, remark }: GivenCommand): Said {
  switch (command.kind) {
    case 'help':
      return say(renderCommandHelp());
    case 'unknown':
      return say(
        `There is no command \`${neutraliseText(command.name).replaceAll('`', "'")}\`.\n\n${renderCommandHelp()}`,
      );
    case 'update':
    case 'status':
      return say(describePull(tools.state, repo, pull));
    case 'retry':
    case 'unblock': {
      const headSha = command.kind === 'unblock' ? command.headSha : null;
      if (pull.status !== 'blocked') {
        const isRetrying = headSha === null && retryWaitingTurn(tools, pull.runId);
        return say(
          isRetrying ? RETRYING : `There is nothing to ${command.kind}: this pull request is not blocked.`,
        );
      }
      const foreign = explainForeignHead(pull, headSha);
      if (foreign !== undefined) return say(`Nothing was changed. ${foreign}.`);
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

function describePull(state: State, repo: Repo, pull: Pull): string {
  const turn = state.readLiveTurnOfRun(pull.runId);
  const waiting = state.listUnclaimedEvents(pull.repoId, pull.prNumber).length;
  const mismatches = state.countEventsOfPull(pull.repoId, pull.prNumber, 'action_mismatch');
  return [
    `- status: ${pull.status}${pull.blockedKind === null ? '' : ` (${pull.blockedKind})`}`,
    ...(pull.error === null ? [] : [`- reason: ${neutraliseLine(pull.error.slice(0, 600))}`]),
    `- accepted head: ${pull.lastSeenHeadSha ?? 'none'}`,
    `- turn: ${turn === undefined ? 'none' : `${turn.kind}, ${turn.state}`}`,
    `- comments that wait for an answer: ${waiting}`,
    `- review: ${describeReview(state, repo, pull)}`,
    ...(mismatches === 0 ? [] : [`- comments of ours that a person changed or removed: ${mismatches}`]),
  ].join('\n');
}
