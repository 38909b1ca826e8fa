import type { UnsentReason } from '@mergexo/core/reasons';
import type { Plan, Turn } from '@mergexo/core/turns';
import type { Run } from '@mergexo/state';
import type { Records } from '../tools.js';
import { markUnsent } from './action.js';
import { readPullOf, readRunOf } from './read-pull-of.js';
import { awaitFollowup, finishStart } from './run/end-start.js';
import { completeTurn } from './turn.js';

/** Completes a turn on an issue, with its run and session, once every action is settled. Requires a transaction. */
export function settleTurn(tools: Records, turn: Turn): Turn {
  const { state } = tools;
  if (turn.state !== 'speaking' || state.countUnsettledActions(turn.turnKey) > 0) return turn;
  // `createCloser` completes turns on pull requests after a last check of the head.
  if (turn.prNumber !== null) return turn;
  const done = completeTurn(tools, turn);
  const run = readRunOf(state, turn);
  const plan = state.readPlan(turn.turnKey)?.plan;
  if (run !== undefined && plan !== undefined) finishRun(tools, turn, { run, plan });
  return done;
}

function finishRun(tools: Records, turn: Turn, { run, plan }: { run: Run; plan: Plan }): void {
  const { state, now } = tools;
  finishStart(tools, turn, { run, plan });
  const { result, commit } = plan;
  if (result.kind === 'wait') {
    const { waitKind, reason } = result;
    const checkpoint = commit && { branch: commit.branch, sha: commit.sha };
    awaitFollowup(tools, run, { waitKind, reason, checkpoint });
    return;
  }
  if (result.kind !== 'pull') return;
  const { design } = result;
  const facts = design && {
    priority: design.priority,
    estimatedSize: design.estimatedSize,
    conflictHintPaths: design.touchPaths,
    dependsOn: design.dependsOn,
  };
  state.deleteFollowup(run.repoId, run.issueNumber);
  // The pull request may have been merged, closed or blocked before the last action was settled.
  const pull = readPullOf(state, run);
  const isOpen = pull === undefined || pull.status === 'awaiting_feedback';
  const opened = { status: 'awaiting_feedback' as const, blockedKind: null, error: null };
  state.saveRun({ ...run, ...facts, ...(isOpen && opened) }, now());
  if (pull?.status === 'merged') state.retireSession(run.id, now());
}

/** Completes a start turn whose pull request is open, and drops its unsent actions, such as the status comment. */
export function finishOpenedStart(tools: Records, turn: Turn, reason: UnsentReason): void {
  const { state } = tools;
  for (const action of state.listActionsOfTurn(turn.turnKey).filter((one) => one.state === 'planned'))
    markUnsent(tools, action, reason);
  settleTurn(tools, turn);
}
