import type { Action } from '@mergexo/core/actions';
import { failpoint } from '@mergexo/core/basics';
import type { Remark } from '@mergexo/core/feedback';
import type { StartContext } from '@mergexo/core/turns';
import { hasText, isUnansweredStart, obeyStart } from '../commands/obey-start.js';
import { abandonStart, findAbandonment } from '../lifecycle/run/abandon-start.js';
import { deferTurn } from '../lifecycle/run/end-start.js';
import { DELETED } from '../lifecycle/skip-reasons.js';
import { findDeleted } from '../threads/find-deleted.js';
import { listFollowups, takeInThread } from '../threads/take-in-issue-remark.js';
import type { OutboxTools } from './outbox-tools.js';
import type { PostContext } from './posts/post.js';

/**
 * The last look at the issue before its pull request is opened. Whoever spoke before is heard before: then the turn ends
 * here, and the next one begins with their words. True when the pull request may be opened.
 */
export async function passGate(tools: OutboxTools, action: Action, context: PostContext): Promise<boolean> {
  const { state, github } = tools;
  const { repo, run, turn, plan, start } = context;
  if (turn === undefined || run === undefined || plan === null) return false;
  const { issue, comments } = await github.fetchThread(repo.config.fullName, run.issueNumber);
  const gone = await findDeleted(tools, repo, run, comments);
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
    takeInThread(tools, repo, comments, (remark) => isKnownToTurn(remark, start));
    for (const event of state.listUnclaimedEvents(repo.id, run.issueNumber))
      if (isUnansweredStart(state, event)) obeyStart(tools, repo, event.payload, issue);
    // A comment that is gone by now is no reason to wait.
    for (const event of gone) state.markEventProcessed(event, tools.now(), DELETED);
    const waiting = listFollowups(tools, repo.id, run.issueNumber);
    const isHeard = waiting.length === 0 || !repo.config.enableIssueCommentRouting;
    if (isHeard || action.kind !== 'open_pull') return 'open';
    deferTurn(tools, speaking, known, plan);
    return 'deferred';
  });
  if (outcome === 'deferred') failpoint('poller:turn-deferred');
  return outcome === 'open';
}

/** A command from before the turn is left to the feed, unless somebody has added text to it that the agent never saw. */
function isKnownToTurn(remark: Remark, start: StartContext | undefined): boolean {
  if (start === undefined || remark.commentId > start.consumedUpTo) return false;
  const { commentId, updatedAt } = remark;
  return (
    !hasText(remark) || start.comments.some((said) => said.id === commentId && said.updatedAt === updatedAt)
  );
}
