import { type Action, type ActionKind, parseTarget } from '@mergexo/core/actions';
import { failpoint } from '@mergexo/core/basics';
import { renderRefusal } from '@mergexo/core/outbox';
import { neutraliseMarkdown } from '@mergexo/core/text';
import { isLive, type Turn } from '@mergexo/core/turns';
import type { PullRequest } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { markRefused, markSettled, markUnsent, recordNotice, recordOpenedPull } from '../lifecycle/action.js';
import { blockPull } from '../lifecycle/block-pull.js';
import { planFallback, releaseEvents } from '../lifecycle/end-turn.js';
import { finishRedirect } from '../lifecycle/finish-redirect.js';
import { readPullOf } from '../lifecycle/read-pull-of.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { completeRound } from '../lifecycle/review/complete-round.js';
import { blockTurn } from '../lifecycle/run/stop-run.js';
import { settleTurn } from '../lifecycle/settle-turn.js';
import type { Records, Repo } from '../tools.js';
import { findReply } from './posts/comment-posts.js';

type SettleTools = Records & { repos: () => readonly Repo[] };

/** Records that GitHub has the post, and applies the consequences, in one transaction. */
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
    recordEvents(tools, [describe('action_settled', action, { run, payload: { remote_id: remoteId } })]);
    if (turn === undefined) return settleNotice(tools, action, { run, said: true });
    if (action.kind === 'post_review') completeRound(tools, turn, remoteId);
    if (!isLive(turn)) return releaseEvents(tools, turn);
    if (opened !== undefined && run !== undefined)
      recordOpenedPull(tools, { run, turnKey: turn.turnKey }, opened);
    if (settleTurn(tools, turn).state === 'done') failpoint('poller:turn-settled');
  });
  failpoint('poller:action-settled');
}

function settleNotice(
  tools: Records,
  action: Action,
  { run, said }: { run: Run | undefined; said: boolean },
): void {
  const target = parseTarget(action.target);
  if (action.kind !== 'redirect' || target.kind !== 'run' || target.commentId === null) return;
  if (run !== undefined) finishRedirect(tools, run, { commentId: target.commentId, said });
}

/** Drops an unsent action of an ended turn. */
export function dropAction(tools: Records, action: Action, turn: Turn): void {
  tools.state.transaction(() => {
    markUnsent(tools, action, { code: 'turn_ended', state: turn.state });
    releaseEvents(tools, turn);
  });
}

/** Records that GitHub will never accept an action. A refused pull request blocks the turn. */
export function refuseAction(
  tools: SettleTools,
  action: Action,
  { run, reason }: { run: Run | undefined; reason: string },
): void {
  const { state, now } = tools;
  state.transaction(() => {
    const turn = readTurn(tools, action);
    markRefused(tools, action, reason);
    recordEvents(tools, [describe('action_refused', action, { run, payload: { reason } })]);
    if (turn === undefined) return settleNotice(tools, action, { run, said: false });
    if (!isLive(turn)) return releaseEvents(tools, turn);
    if (action.kind === 'post_review') {
      completeRound(tools, turn, null);
      const text = action.payload?.text;
      if (text !== undefined)
        state.recordActions([planFallback(action, { kind: 'instead-of-review' }, text)], now());
    }
    const target = parseTarget(action.target);
    if (target.kind === 'review') sayElsewhere(tools, action, target.commentId);
    if (HAS_NO_FALLBACK.has(action.kind)) reportRefusal(tools, action, { run, reason });
    if (action.kind === 'rerun_checks') blockUnrepeated(tools, turn, reason);
    else if (action.kind === 'open_pull') blockTurn(tools, turn, reason);
    else settleTurn(tools, turn);
  });
}

/** The comments of a turn that people wait for and that no other post replaces. */
const HAS_NO_FALLBACK: ReadonlySet<ActionKind> = new Set(['general_comment', 'wait_comment', 'fix_summary']);

/** Plans a short notice, because people would otherwise wait for the refused comment. Requires a transaction. */
function reportRefusal(
  tools: Records,
  { id, repoId, thread }: Action,
  { run, reason }: { run: Run | undefined; reason: string },
): void {
  const about = { repoId, runId: run?.id ?? null, thread, cause: ['refused', id] };
  recordNotice(tools, { ...about, kind: 'command_reply', payload: { text: renderRefusal(reason) } });
}

/** Blocks the pull request after a refused rerun, because a person must decide. Posted replies stay. */
function blockUnrepeated(tools: Records, turn: Turn, reason: string): void {
  settleTurn(tools, turn);
  const pull = readPullOf(tools.state, turn);
  if (pull?.status === 'awaiting_feedback')
    blockPull(tools, pull, {
      kind: 'ci_failing',
      reason: `MergeXO could not rerun a failed workflow run: ${reason}`,
    });
}

/** Plans the reply as a comment in the conversation, because the line thread was deleted or is locked. */
function sayElsewhere({ state, now }: Records, action: Action, commentId: number): void {
  if (action.turnKey === null) return;
  const plan = state.readPlan(action.turnKey)?.plan ?? null;
  const { body } = findReply(action, { plan, generalUrl: null });
  const text = `Reply to line comment ${commentId}, whose thread accepts no replies:\n\n${neutraliseMarkdown(body)}`;
  state.recordActions([planFallback(action, { kind: 'instead-of-reply', commentId }, text)], now());
}

function readTurn({ state }: Records, { turnKey }: Action): Turn | undefined {
  return turnKey === null ? undefined : state.readTurn(turnKey);
}

function describe(
  type: 'action_settled' | 'action_refused',
  action: Action,
  { run, payload }: { run: Run | undefined; payload: object },
) {
  const { repoId } = action;
  const { id: runId = null, issueNumber = null, prNumber = action.thread } = run ?? {};
  const about = { action: action.kind, target: action.target, ...payload };
  return { type, repoId, runId, issueNumber, prNumber, turnKey: action.turnKey, payload: about } as const;
}
