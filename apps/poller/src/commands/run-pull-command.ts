import { isGivenOn, renderCommandHelp } from '@mergexo/core/commands';
import type { Remark } from '@mergexo/core/feedback';
import type { Pull } from '@mergexo/state';
import { explainUnacceptableHead, unblockPull } from '../lifecycle/block-pull.js';
import { describeRetried, retryWaitingTurn } from '../lifecycle/retry-on-request.js';
import type { Records, Repo } from '../tools.js';
import { answerCommand, type GivenCommand } from './answer-command.js';
import { describePullStatus } from './describe-status.js';
import { type Reply, reply, replyUnknown } from './reply.js';
import { dismissFinding, isReviewWaiting, resumeReview } from './run-review-command.js';
import { resumeIssue, runSteerCommand } from './run-steer-command.js';

type GivenOnPull = GivenCommand & { pull: Pull };

/** Runs a command on a pull request of a run. Requires a transaction. */
export function runPullCommand(tools: Records, repo: Repo, given: GivenOnPull): void {
  const { repoId, runId, issueNumber, prNumber } = given.pull;
  const thread = { repoId, runId, issueNumber, prNumber };
  answerCommand(tools, repo, { given, thread, runCommand: () => runCommand(tools, repo, given) });
}

function runCommand(tools: Records, repo: Repo, { pull, command, remark }: GivenOnPull): Reply {
  if (!isGivenOn(command, 'pull')) return reply('This command works only on an issue. Post it there.');
  switch (command.kind) {
    case 'help':
      return reply(renderCommandHelp());
    case 'unknown':
      return replyUnknown(command);
    case 'update':
    case 'status':
      return reply(describePullStatus(tools.state, repo, pull));
    case 'retry':
    case 'unblock': {
      const headSha = command.kind === 'unblock' ? command.headSha : null;
      const { reason } = command;
      if (pull.status !== 'blocked') {
        const nothing = `There is nothing to ${command.kind}: this pull request is not blocked.`;
        if (headSha !== null) return reply(nothing);
        const retried = retryWaitingTurn(tools, repo.config, { runId: pull.runId, reason });
        return reply(retried.kind === 'nothing-waits' ? nothing : describeRetried(retried, tools.now()));
      }
      const foreign = explainUnacceptableHead(pull, headSha);
      if (foreign !== undefined) return reply(`Nothing was changed. ${foreign}.`);
      unblockPull(tools, pull, { by: remark.author.login, reason, headSha });
      const accepted = headSha === null ? '' : ` The accepted head is now ${headSha}.`;
      const waiting = tools.state.listUnclaimedEvents(pull.repoId, pull.prNumber).length;
      const text = `Unblocked.${accepted} Comments waiting for a reply: ${waiting}.`;
      return { kind: 'unblock_notice', payload: { text, acceptedHeadSha: headSha } };
    }
    case 'pause':
    case 'cancel':
    case 'skip-review':
      return runSteerCommand(tools, command.kind, { ...pull, remark, reason: command.reason });
    case 'resume':
      return resume(tools, repo, { pull, remark, reason: command.reason });
    case 'dismiss':
      return dismissFinding(tools, pull, remark);
  }
}

/** Ends the pause and resumes the AI review, whichever applies. */
function resume(
  tools: Records,
  repo: Repo,
  { pull, remark, reason }: { pull: Pull; remark: Remark; reason: string | null },
): Reply {
  const resumed = resumeIssue(tools, { ...pull, remark, reason });
  if (resumed !== undefined && !isReviewWaiting(tools, pull)) return reply(resumed);
  return resumeReview(tools, repo, { pull, remark, before: resumed });
}
