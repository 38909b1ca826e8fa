import { computeNoticeId } from '@mergexo/core/actions';
import { type Command, needsOperator } from '@mergexo/core/commands';
import type { Remark } from '@mergexo/core/feedback';
import { recordNotice } from '../lifecycle/action.js';
import { recordEvents } from '../lifecycle/record-events.js';
import type { Records, Repo } from '../tools.js';
import { appendIgnoredCommands, REPLIES, type Reply, reply } from './reply.js';

export type GivenCommand = {
  command: Command;
  isOperator: boolean;
  remark: Remark;
  /** True if the comment was edited. GitHub does not report who edited it; anybody with write access can. */
  isEdited: boolean;
  /** Notice ids of our replies on GitHub. After a database loss, they prevent a second run of a command. */
  said: ReadonlySet<string>;
};

type Thread = { repoId: number; runId: number; issueNumber: number; prNumber?: number };

/** Runs a command in the transaction that records its comment, so that a crash cannot repeat the command. */
export function answerCommand(
  tools: Records,
  repo: Repo,
  { given, thread, runCommand }: { given: GivenCommand; thread: Thread; runCommand: () => Reply },
): void {
  const { command, remark, said } = given;
  const { repoId, runId, issueNumber, prNumber = issueNumber } = thread;
  const about = { repoId, thread: prNumber, cause: [remark.commentId, remark.updatedAt] };
  if (REPLIES.some((kind) => said.has(computeNoticeId({ kind, ...about })))) return;
  const refusal = needsOperator(command) ? explainRefusal(repo, given) : undefined;
  const isAllowed = refusal === undefined;
  const answer = isAllowed ? runCommand() : reply(refusal);
  recordNotice(tools, { ...about, ...appendIgnoredCommands(answer, remark.body), runId });
  const obeyed = isAllowed && command.kind !== 'unknown';
  const reason = 'reason' in command ? command.reason : null;
  const payload = { command: command.kind, by: remark.author.login, reason, obeyed };
  recordEvents(tools, [{ type: 'command_obeyed', ...thread, payload }]);
}

function explainRefusal({ config }: Repo, { isOperator, isEdited }: GivenCommand): string | undefined {
  if (!isOperator) return `Only operators can use this command: ${config.operatorLogins.join(', ')}.`;
  if (!isEdited) return undefined;
  return 'MergeXO does not run this command from an edited comment, because other people may have edited it. Post the command as a new comment.';
}
