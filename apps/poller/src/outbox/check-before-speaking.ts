import type { Action } from '@mergexo/core';
import type { GitHub } from '@mergexo/github';
import type { State } from '@mergexo/state';
import { blockPullOf } from '../feedback/block-pull.js';
import { checkHead } from '../feedback/check-head.js';
import { closePull } from '../feedback/close-pull.js';
import { endTurn } from '../feedback/end-turn.js';
import { describeRewrite, isTakenOver } from '../feedback/open-feedback-turns.js';
import { isIgnored } from '../feedback/takeover.js';
import { closeRun, TAKEOVER } from '../settle-turns.js';
import type { OutboxTools } from './drain-outbox.js';
import { refuseAction } from './settle-action.js';
import type { Topic } from './speaker.js';

/** A last look before something new is said: false when it must not be said, or not yet. */
export async function checkBeforeSpeaking(
  tools: OutboxTools & { github: GitHub; state: State },
  action: Action,
  topic: Topic,
): Promise<boolean> {
  if (topic.turn === undefined) return true;
  return topic.turn.prNumber === null ? checkIssue(tools, action, topic) : checkPull(tools, topic);
}

async function checkIssue(tools: OutboxTools, action: Action, { repo, run, turn }: Topic): Promise<boolean> {
  const { state } = tools;
  const issue = await tools.github.fetchIssue(repo.config.fullName, run.issueNumber);
  const isOver = isTakenOver(issue.labels, repo.config.labels.ignore);
  if (issue.open && !isOver) return true;
  const reason = isOver ? 'a person took it over' : 'the issue was closed';
  // With its pull request open only the word about it is left, and nobody waits for that any more.
  if (action.kind === 'status_comment') {
    refuseAction(tools, action, run, reason);
    return false;
  }
  state.transaction(() => {
    const speaking = turn && state.readTurn(turn.turnKey);
    const known = state.readRun(run.id);
    if (speaking?.state !== 'speaking' || known === undefined) return;
    endTurn(tools, speaking, 'cancelled', reason);
    closeRun(tools, known, reason, isOver ? TAKEOVER : null);
  });
  return false;
}

async function checkPull(tools: OutboxTools, { repo, turn, pull, plan, feedback }: Topic): Promise<boolean> {
  const { state, github } = tools;
  if (pull === undefined || turn === undefined) return false;
  const { fullName, labels } = repo.config;
  const { headSha, status } = await github.fetchPull(fullName, pull.prNumber);
  // What is said may name the commit that was pushed, so that is what must still be there.
  const lastSeenHeadSha = plan?.commit?.sha ?? feedback?.headSha ?? pull.lastSeenHeadSha;
  const { lineage, expectedSha } = await checkHead(tools, fullName, { ...pull, lastSeenHeadSha }, headSha);
  const issue = await github.fetchIssue(fullName, pull.prNumber);
  return state.transaction(() => {
    const known = state.readPull(pull.repoId, pull.prNumber);
    const speaking = state.readTurn(turn.turnKey);
    if (known === undefined || speaking?.state !== 'speaking') return false;
    if (status !== 'open') closePull(tools, known.repoId, known.prNumber, status);
    else if (isTakenOver(issue.labels, labels.ignore) || isIgnored(known))
      endTurn(tools, speaking, 'cancelled', 'a person took it over');
    else if (lineage === 'rewritten') blockPullOf(tools, speaking, describeRewrite(expectedSha, headSha));
    else return lineage === 'grown';
    return false;
  });
}
