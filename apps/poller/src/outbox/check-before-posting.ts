import { type Action, parseTarget } from '@mergexo/core/actions';
import { hasLabel } from '@mergexo/core/text';
import type { GitHub } from '@mergexo/github';
import type { State } from '@mergexo/state';
import { admit } from '../lifecycle/admit.js';
import { endTurn } from '../lifecycle/end-turn.js';
import { describeAbandonment, findAbandonment } from '../lifecycle/run/abandon-start.js';
import { isIgnored } from '../lifecycle/takeover.js';
import { checkTurnHead } from '../threads/check-head.js';
import { passGate } from './gate.js';
import type { OutboxTools } from './outbox-tools.js';
import type { PostContext } from './posts/post.js';
import { refuseAction } from './settle-action.js';

/** Runs the last check before a new post. Returns false if MergeXO must not post now. */
export async function checkBeforePosting(
  tools: OutboxTools & { github: GitHub; state: State },
  action: Action,
  context: PostContext,
): Promise<boolean> {
  if (action.kind === 'redirect') return checkRedirect(tools, action, context);
  if (action.kind === 'close_notice') return checkClosed(tools, action, context);
  if (context.turn === undefined) return true;
  return context.turn.prNumber === null
    ? checkIssue(tools, action, context)
    : checkPull(tools, action, context);
}

/** Refuses a redirect if its comment was deleted. */
async function checkRedirect(
  tools: OutboxTools,
  action: Action,
  { repo, run }: PostContext,
): Promise<boolean> {
  const target = parseTarget(action.target);
  const commentId = target.kind === 'run' ? target.commentId : null;
  const found =
    commentId === null ? null : await tools.github.fetchIssueComment(repo.config.fullName, commentId);
  if (found === null) refuseAction(tools, action, { run, reason: 'the comment was deleted' });
  return found !== null;
}

/** Refuses a close notice if the issue or pull request has been reopened. */
async function checkClosed(tools: OutboxTools, action: Action, { repo, run }: PostContext): Promise<boolean> {
  const { open } = await tools.github.fetchIssue(repo.config.fullName, action.thread);
  if (open) refuseAction(tools, action, { run, reason: 'the issue or pull request was reopened' });
  return !open;
}

async function checkIssue(tools: OutboxTools, action: Action, context: PostContext): Promise<boolean> {
  // New comments do not delay the status comment, because the pull request is already open.
  if (action.kind !== 'status_comment') return passGate(tools, action, context);
  const { repo, run } = context;
  if (run === undefined) return false;
  const issue = await tools.github.fetchIssue(repo.config.fullName, run.issueNumber);
  const abandonment = findAbandonment(issue, repo.config.labels.ignore);
  if (abandonment !== undefined)
    refuseAction(tools, action, { run, reason: describeAbandonment(abandonment) });
  return abandonment === undefined;
}

async function checkPull(tools: OutboxTools, action: Action, context: PostContext): Promise<boolean> {
  const { state, github } = tools;
  const { repo, turn, pull, plan, feedback, review } = context;
  if (pull === undefined || turn === undefined) return false;
  const { fullName, labels } = repo.config;
  const details = await github.fetchPull(fullName, pull.prNumber);
  const { headSha, status } = details;
  // The post may name the pushed commit, so that commit must still be in the branch.
  const startSha = feedback?.headSha ?? review?.context.headSha ?? pull.acceptedHeadSha;
  const heads = { pull, observedSha: headSha, startSha, commitSha: plan?.commit?.sha };
  const head = await checkTurnHead(tools, fullName, heads);
  return state.transaction(() => {
    const known = state.readPull(pull.repoId, pull.prNumber);
    const speaking = state.readTurn(turn.turnKey);
    if (known === undefined || speaking?.state !== 'speaking') return false;
    const isTakenOver = hasLabel(details.labels, labels.ignore) || isIgnored(known);
    if (admit(tools, { pull: known, turn: speaking }, { status, isTakenOver, head }).kind !== 'go')
      return false;
    const isOutdated = action.kind === 'post_review' && headSha !== review?.context.headSha;
    if (isOutdated) endTurn(tools, speaking, { end: 'superseded', reason: `the head is now ${headSha}` });
    return !isOutdated;
  });
}
