import type { Plan, Turn } from '@mergexo/core/turns';
import type { Run } from '@mergexo/state';
import type { Records } from '../tools.js';
import { markUnsent } from './action.js';
import { awaitFollowup, finishStart } from './run/end-start.js';
import { completeTurn } from './turn.js';

/** Done once nothing of the turn is left to be said; the run and its session move in the same breath. Inside a transaction. */
export function settleTurn(tools: Records, turn: Turn): Turn {
  const { state } = tools;
  if (turn.state !== 'speaking' || state.countUnsettledActions(turn.turnKey) > 0) return turn;
  // On a pull request one more look at GitHub comes before the end.
  if (turn.prNumber !== null) return turn;
  const done = completeTurn(tools, turn);
  const run = turn.runId === null ? undefined : state.readRun(turn.runId);
  const plan = state.readPlan(turn.turnKey)?.plan;
  if (run !== undefined && plan !== undefined) finishRun(tools, turn, run, plan);
  return done;
}

function finishRun(tools: Records, turn: Turn, run: Run, plan: Plan): void {
  const { state, now } = tools;
  finishStart(tools, turn, run, plan);
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
  // It may have been merged, closed or blocked before the last word about it was decided, and stays so.
  const pull = run.prNumber === null ? undefined : state.readPull(run.repoId, run.prNumber);
  const isOpen = pull === undefined || pull.status === 'awaiting_feedback';
  const opened = { status: 'awaiting_feedback' as const, blockedKind: null, error: null };
  state.saveRun({ ...run, ...facts, ...(isOpen && opened) }, now());
  if (pull?.status === 'merged') state.retireSession(run.id, now());
}

/** Its pull request is open, and only the word about it is left: that is dropped, and the start ends as it should. */
export function finishOpenedStart(tools: Records, turn: Turn, reason: string): void {
  const { state } = tools;
  for (const action of state.listActionsOfTurn(turn.turnKey).filter((one) => one.state === 'planned'))
    markUnsent(tools, action, reason);
  settleTurn(tools, turn);
}
