import type { Action } from '@mergexo/core/actions';
import { failpoint } from '@mergexo/core/basics';
import type { Remark } from '@mergexo/core/feedback';
import type { StartContext } from '@mergexo/core/turns';
import { hasText, isUnansweredStart, runStartCommand } from '../commands/run-start-command.js';
import { abandonStart, findAbandonment } from '../lifecycle/run/abandon-start.js';
import { deferTurn } from '../lifecycle/run/end-start.js';
import { findDeleted } from '../threads/find-deleted.js';
import { listFollowups, recordThread } from '../threads/record-issue-remark.js';
import type { OutboxTools } from './outbox-tools.js';
import type { PostContext } from './posts/post.js';

/**
 * Checks the issue before its pull request is opened. If people have added comments, this turn ends and the next turn
 * handles those comments. Returns true if the action may be posted.
 */
export async function passGate(tools: OutboxTools, action: Action, context: PostContext): Promise<boolean> {
  const { state, github } = tools;
  const { repo, run, turn, plan, start } = context;
  if (turn === undefined || run === undefined || plan === null) return false;
  const { issue, comments } = await github.refreshThread(repo.config.fullName, run.issueNumber);
  const gone = await findDeleted(tools, repo, { issueNumber: run.issueNumber, comments });
  failpoint('poller:gate-checked');
  const outcome = state.transaction((): 'open' | 'stop' | 'deferred' => {
    const speaking = state.readTurn(turn.turnKey);
    const known = state.readRun(run.id);
    if (speaking?.state !== 'speaking' || known === undefined) return 'stop';
    const abandonment = findAbandonment(issue, repo.config.labels.ignore);
    if (abandonment !== undefined) {
      abandonStart(tools, known, abandonment);
      return 'stop';
    }
    recordThread(tools, repo, { comments, leavesCommand: (remark) => isKnownToTurn(remark, start) });
    for (const event of state.listUnclaimedEvents(repo.id, run.issueNumber))
      if (isUnansweredStart(state, event)) runStartCommand(tools, repo, { remark: event.payload, issue });
    // Deleted comments do not delay the pull request.
    for (const event of gone) state.markEventProcessed(event, tools.now(), { code: 'deleted' });
    const waiting = listFollowups(tools, repo.id, run.issueNumber);
    const isHeard = waiting.length === 0 || !repo.config.enableIssueCommentRouting;
    if (isHeard || action.kind !== 'open_pull') return 'open';
    deferTurn(tools, speaking, { run: known, plan });
    return 'deferred';
  });
  if (outcome === 'deferred') failpoint('poller:turn-deferred');
  return outcome === 'open';
}

/** True for comments that the agent has read. Old commands without text count too, because the feed handles them. */
function isKnownToTurn(remark: Remark, start: StartContext | undefined): boolean {
  if (start === undefined || remark.commentId > start.consumedUpTo) return false;
  const { commentId, updatedAt } = remark;
  return (
    !hasText(remark) || start.comments.some((said) => said.id === commentId && said.updatedAt === updatedAt)
  );
}
