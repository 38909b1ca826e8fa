import { type Action, failpoint } from '@mergexo/core';
import { oldestFirst, toRemark } from '../feedback/to-remark.js';
import type { OutboxTools } from '../outbox/drain-outbox.js';
import type { Topic } from '../outbox/speaker.js';
import { abandonStart, findAbandonment } from './abandon-start.js';
import { deferTurn } from './end-start.js';
import { listFollowups, takeInIssueRemark } from './take-in-issue-remark.js';

/**
 * The last look at the issue before its pull request is opened. Whoever spoke before is heard before: then the turn ends
 * here, and the next one begins with their words. True when the pull request may be opened.
 */
export async function passGate(tools: OutboxTools, action: Action, topic: Topic): Promise<boolean> {
  const { state, github } = tools;
  const { repo, run, turn, plan } = topic;
  if (turn === undefined || run === undefined || plan === null) return false;
  const { issue, comments } = await github.fetchThread(repo.config.fullName, run.issueNumber);
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
    for (const comment of oldestFirst(comments)) takeInIssueRemark(tools, repo, toRemark(comment));
    // A comment that is gone by now is no reason to wait.
    const present = new Set(comments.map(({ id }) => id));
    const waiting = listFollowups(tools, repo.id, run.issueNumber).filter(({ commentId }) =>
      present.has(commentId),
    );
    if (waiting.length === 0 || action.kind !== 'open_pull') return 'open';
    deferTurn(tools, speaking, known, plan);
    return 'deferred';
  });
  if (outcome === 'deferred') failpoint('poller:turn-deferred');
  return outcome === 'open';
}
