import { type Action, noticeTargetOf, replyTargetOf } from '@mergexo/core/actions';
import { failpoint } from '@mergexo/core/basics';
import { neutraliseMarkdown } from '@mergexo/core/text';
import { isLive, type Turn } from '@mergexo/core/turns';
import type { PullRequest } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { markRefused, markSettled, markUnsent, recordOpenedPull } from '../lifecycle/action.js';
import { blockPull } from '../lifecycle/block-pull.js';
import { planFallback, planReviewFallback, releaseEvents } from '../lifecycle/end-turn.js';
import { finishRedirect } from '../lifecycle/finish-redirect.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { completeRound } from '../lifecycle/review/complete-round.js';
import { blockTurn } from '../lifecycle/run/stop-run.js';
import { settleTurn } from '../lifecycle/settle-turn.js';
import type { Records, Repo } from '../tools.js';
import { findReply } from './posts/comment-posts.js';

type SettleTools = Records & { repos: () => readonly Repo[] };

/** The action is on GitHub: recorded in one transaction with whatever follows from it. Turn and run are read anew. */
export function settleAction(
  tools: SettleTools,
  action: Action,
  result: { remoteId: number; opened?: PullRequest; run: Run | undefined },
): void {
  const { state } = tools;
  const { remoteId, opened } = result;
  state.transaction(() => {
    const turn = readTurn(tools, action);
    const run = result.run && (state.readRun(result.run.id) ?? result.run);
    markSettled(tools, action, remoteId);
    recordEvents(tools, [describe('action_settled', action, run, { remote_id: remoteId })]);
    if (turn === undefined) return settleNotice(tools, action, run, true);
    if (action.kind === 'post_review') completeRound(tools, turn, remoteId);
    if (!isLive(turn)) return releaseEvents(tools, turn);
    if (opened !== undefined && run !== undefined)
      recordOpenedPull(tools, { run, turnKey: turn.turnKey }, opened);
    if (settleTurn(tools, turn).state === 'done') failpoint('poller:turn-settled');
  });
  failpoint('poller:action-settled');
}

function settleNotice(tools: Records, action: Action, run: Run | undefined, said: boolean): void {
  const commentId = noticeTargetOf(action)?.commentId ?? null;
  if (action.kind === 'redirect' && commentId !== null && run !== undefined)
    finishRedirect(tools, run, { commentId, said });
}

/** It was never sent, and its turn is over. */
export function dropAction(tools: Records, action: Action, turn: Turn): void {
  tools.state.transaction(() => {
    markUnsent(tools, action, `the turn is ${turn.state}`);
    releaseEvents(tools, turn);
  });
}

/** GitHub will never take it. A turn goes on without a comment, but not without its pull request. */
export function refuseAction(tools: SettleTools, action: Action, run: Run | undefined, reason: string): void {
  const { state, now } = tools;
  state.transaction(() => {
    const turn = readTurn(tools, action);
    markRefused(tools, action, reason);
    recordEvents(tools, [describe('action_refused', action, run, { reason })]);
    if (turn === undefined) return settleNotice(tools, action, run, false);
    if (!isLive(turn)) return releaseEvents(tools, turn);
    if (action.kind === 'post_review') {
      completeRound(tools, turn, null);
      if (action.words !== null) state.recordActions([planReviewFallback(action, action.words)], now());
    }
    const commentId = replyTargetOf(action);
    if (commentId !== undefined) sayElsewhere(tools, action, commentId);
    if (action.kind === 'rerun_checks') blockUnrepeated(tools, turn, reason);
    else if (action.kind === 'open_pull') blockTurn(tools, turn, reason);
    else settleTurn(tools, turn);
  });
}

/** What was said stays said; that the run cannot be repeated is for a person. */
function blockUnrepeated(tools: Records, turn: Turn, reason: string): void {
  settleTurn(tools, turn);
  const pull = turn.prNumber === null ? undefined : tools.state.readPull(turn.repoId, turn.prNumber);
  if (pull?.status === 'awaiting_feedback')
    blockPull(tools, pull, { kind: 'ci_failing', reason: `A failed run could not be run again: ${reason}` });
}

/** The thread on lines is gone or closed to us: the person is answered in the conversation instead. */
function sayElsewhere({ state, now }: Records, action: Action, commentId: number): void {
  if (action.turnKey === null) return;
  const plan = state.readPlan(action.turnKey)?.plan ?? null;
  const { body } = findReply(action, { plan, generalUrl: null });
  const words = `In answer to a comment on the code (${commentId}), whose thread takes no reply:\n\n${neutraliseMarkdown(body)}`;
  state.recordActions([planFallback(action, commentId, words)], now());
}

function readTurn({ state }: Records, { turnKey }: Action): Turn | undefined {
  return turnKey === null ? undefined : state.readTurn(turnKey);
}

function describe(
  type: 'action_settled' | 'action_refused',
  action: Action,
  run: Run | undefined,
  payload: object,
) {
  const { repoId } = action;
  const { id: runId = null, issueNumber = null, prNumber = action.thread } = run ?? {};
  const about = { action: action.kind, target: action.target, ...payload };
  return { type, repoId, runId, issueNumber, prNumber, turnKey: action.turnKey, payload: about } as const;
}
