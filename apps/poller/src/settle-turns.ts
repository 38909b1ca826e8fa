import {
  type BlockKind,
  buildBranchName,
  buildDesignDocPath,
  buildSlug,
  buildTurnEvent,
  type Log,
  type Plan,
  planNotice,
  renderBlockNotice,
  START_REMEDY,
  type Turn,
  type WaitKind,
} from '@mergexo/core';
import type { Run, State } from '@mergexo/state';
import { blockPull } from './feedback/block-pull.js';
import { dropUnsent, endTurn } from './feedback/end-turn.js';
import { askForReply, awaitFollowup, finishStart, readLastWait } from './followup/end-start.js';
import { nextOrdinal } from './intake/take-in-issue.js';
import { recordEvents } from './record-events.js';
import { endRound } from './review/complete-round.js';
import { failFix } from './review/end-fix.js';

type Tools = { state: State; now: () => number; log: Log };

/** Done once nothing of the turn is left to be said; the run and its session move in the same breath. Inside a transaction. */
export function settleTurn(tools: Tools, turn: Turn): Turn {
  const { state, now } = tools;
  if (turn.state !== 'speaking' || state.countUnsettledActions(turn.turnKey) > 0) return turn;
  // On a pull request one more look at GitHub comes before the end.
  if (turn.prNumber !== null) return turn;
  const done: Turn = { ...turn, state: 'done', endedAt: now() };
  state.saveTurn(done);
  recordEvents(tools, [buildTurnEvent('turn_completed', done, { seconds: (now() - turn.openedAt) / 1_000 })]);
  const run = turn.runId === null ? undefined : state.readRun(turn.runId);
  const plan = state.readPlan(turn.turnKey)?.plan;
  if (run !== undefined && plan !== undefined) finishRun(tools, turn, run, plan);
  state.forgetBundle(turn.turnKey);
  return done;
}

function finishRun(tools: Tools, turn: Turn, run: Run, plan: Plan): void {
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

/** A turn that can go no further takes its run along, and a person is told once. Inside a transaction. */
export function blockTurn(tools: Tools, turn: Turn, reason: string): void {
  blockRunOf(tools, endTurn(tools, turn, 'blocked', reason), { kind: 'turn_failed' });
}

/** `waitKind`: before there is a pull request, a reply on the issue resumes the work; otherwise only an operator does. */
export type Stop = { kind: BlockKind; waitKind?: WaitKind | undefined };

/** For a turn that is blocked already. */
export function blockRunOf(tools: Tools, turn: Turn, { kind, waitKind }: Stop): void {
  const { state, now } = tools;
  const reason = turn.reason ?? 'unknown reason';
  const isOfReview = (turn.kind === 'review' || turn.kind === 'review_fix') && kind === 'turn_failed';
  if (isOfReview) giveUpReview(tools, turn, reason);
  const run = turn.runId === null ? undefined : state.readRun(turn.runId);
  const asksForReply = turn.prNumber === null && run !== undefined && waitKind !== undefined;
  // Before the turn gives its comments back: they must not resume the work at once.
  if (asksForReply) askForReply(tools, turn, run, { waitKind, reason });
  dropUnsent(tools, turn);
  if (asksForReply) return;
  if (isOfReview) return;
  const pull = turn.prNumber === null ? undefined : state.readPull(turn.repoId, turn.prNumber);
  if (pull !== undefined) {
    blockPull(tools, pull, { kind, reason });
    return;
  }
  if (run === undefined) return;
  state.saveRun({ ...run, status: 'blocked', blockedKind: kind, error: reason }, now());
  const { repoId, id: runId, issueNumber } = run;
  const words = renderBlockNotice({ reason, remedy: START_REMEDY });
  const cause = [turn.turnKey];
  state.recordActions(
    [planNotice({ kind: 'block_notice', repoId, runId, thread: issueNumber, cause, words })],
    now(),
  );
  recordEvents(tools, [{ type: 'run_blocked', repoId, runId, issueNumber, payload: { kind, reason } }]);
}

/** The evaluator will ask a person; comments are answered meanwhile. */
function giveUpReview(tools: Tools, turn: Turn, reason: string): void {
  if (turn.kind === 'review') endRound(tools, turn, 'failed');
  else failFix(tools, turn, { cause: turn.agentFailures > 0 ? 'agent_error' : 'other', reason });
}

/** At most this often in a row: somebody else keeps using the branch, and a person should look. */
const MAX_SUPERSEDED = 3;

/** Nothing of the turn was sent. A start begins again on a branch of its own; comments open a new turn. Inside a transaction. */
export function restartSuperseded(tools: Tools, turn: Turn): void {
  const run = turn.runId === null ? undefined : tools.state.readRun(turn.runId);
  const isLast = run !== undefined && countSuperseded(tools.state, turn, run) >= MAX_SUPERSEDED;
  if (!isLast) dropUnsent(tools, turn);
  if (run !== undefined && turn.prNumber === null) leaveUnlessCheckpoint(tools, run);
  if (!isLast) return;
  const reason = `${MAX_SUPERSEDED} times in a row somebody else moved the branch: ${turn.reason}`;
  blockRunOf(tools, { ...turn, reason }, { kind: 'superseded', waitKind: 'superseded' });
}

/** Commits that people added to a checkpoint are built upon; a new branch that somebody else uses is left to them. */
function leaveUnlessCheckpoint(tools: Tools, run: Run): void {
  const { state, now } = tools;
  if (state.readFollowup(run.repoId, run.issueNumber)?.context.checkpoint)
    state.saveRun({ ...run, status: 'ready' }, now());
  else leaveBranch(tools, run);
}

/** Begins again on a branch of its own; the old one is somebody else's now. */
export function leaveBranch(tools: Tools, run: Run): void {
  const { state, now } = tools;
  const { repoId, issueNumber } = run;
  const ordinal = nextOrdinal(state.listRunsOfIssue(repoId, issueNumber), run.flow);
  const name = { ...run, slug: buildSlug(run.issueTitle), ordinal };
  const isDesign = run.flow === 'design_doc';
  const docs = run.designDocPath?.split('/').slice(0, -1).join('/');
  const designDocPath = isDesign && docs !== undefined ? buildDesignDocPath(docs, name) : run.designDocPath;
  const branch = buildBranchName(name);
  const waited = state.readFollowup(repoId, issueNumber);
  if (waited !== undefined)
    state.saveFollowup({ ...waited, branch, context: { ...waited.context, checkpoint: null } }, now());
  state.saveRun({ ...run, status: 'ready', ordinal, branch, designDocPath }, now());
}

/** Its pull request is open, and only the word about it is left: that is dropped, and the start ends as it should. */
export function finishOpenedStart(tools: Tools, turn: Turn, reason: string): void {
  const { state, now } = tools;
  for (const action of state.listActionsOfTurn(turn.turnKey).filter((one) => one.state === 'planned'))
    state.saveAction({ ...action, state: 'refused', error: `not sent: ${reason}` }, now());
  settleTurn(tools, turn);
}

/** Of the newest turns, until one that ended otherwise. */
function countSuperseded(state: State, turn: Turn, run: Run): number {
  // A review of an old head is nobody's quarrel about the branch.
  const isOutdated = (other: Turn): boolean => other.kind === 'review' && other.state === 'superseded';
  const turns = state
    .listTurnsOfRun(run.id)
    .filter((other) => other.prNumber === turn.prNumber && !isOutdated(other));
  const waitedAt = readLastWait(state, run);
  const recent = turns.filter(({ openedAt }) => openedAt >= run.clearedAt && openedAt > waitedAt).reverse();
  const end = recent.findIndex((other) => other.state !== 'superseded');
  return end < 0 ? recent.length : end;
}
