import {
  buildBranchName,
  buildSlug,
  buildTurnEvent,
  type Log,
  type Plan,
  planBlockNotice,
  type Turn,
} from '@mergexo/core';
import type { Run, State } from '@mergexo/state';
import { nextOrdinal } from './intake/take-in-issue.js';
import { recordEvents } from './record-events.js';

type Tools = { state: State; now: () => number; log: Log };

/** Done once nothing of the turn is left to be said; the run and its session move in the same breath. Inside a transaction. */
export function settleTurn(tools: Tools, turn: Turn): Turn {
  const { state, now } = tools;
  if (turn.state !== 'speaking' || state.countUnsettledActions(turn.turnKey) > 0) return turn;
  const done: Turn = { ...turn, state: 'done', endedAt: now() };
  state.saveTurn(done);
  recordEvents(tools, [buildTurnEvent('turn_completed', done, { seconds: (now() - turn.openedAt) / 1_000 })]);
  const run = turn.runId === null ? undefined : state.readRun(turn.runId);
  const plan = state.readPlan(turn.turnKey)?.plan;
  if (run !== undefined && plan !== undefined) finishRun(tools, run, plan);
  state.forgetBundle(turn.turnKey);
  return done;
}

function finishRun(tools: Tools, run: Run, plan: Plan): void {
  const { state, now } = tools;
  const { id: runId, repoId, issueNumber } = run;
  if (plan.session !== null) {
    const { adapter, threadId } = plan.session;
    state.saveSession({ runId, adapter, threadId, stateSummary: plan.stateSummary }, now());
  }
  if (plan.result.kind === 'pull') {
    const { design } = plan.result;
    const facts = design && {
      priority: design.priority,
      estimatedSize: design.estimatedSize,
      conflictHintPaths: design.touchPaths,
      dependsOn: design.dependsOn,
    };
    state.saveRun({ ...run, ...facts, status: 'awaiting_feedback', error: null }, now());
    return;
  }
  const { waitKind, reason } = plan.result;
  state.saveRun({ ...run, status: 'awaiting_issue_followup', blockedKind: waitKind, error: reason }, now());
  recordEvents(tools, [
    { type: 'run_waiting', repoId, runId, issueNumber, payload: { kind: waitKind, reason } },
  ]);
}

/** A turn that can go no further takes its run along, and a person is told once. Inside a transaction. */
export function blockTurn(tools: Tools, turn: Turn, reason: string): void {
  const blocked: Turn = { ...turn, state: 'blocked', reason, workerId: null, endedAt: tools.now() };
  tools.state.saveTurn(blocked);
  recordEvents(tools, [buildTurnEvent('turn_blocked', blocked, { reason })]);
  blockRunOf(tools, blocked);
}

export function blockRunOf(tools: Tools, turn: Turn): void {
  const { state, now } = tools;
  dropUnsent(tools, turn);
  const run = turn.runId === null ? undefined : state.readRun(turn.runId);
  if (run === undefined) return;
  state.saveRun({ ...run, status: 'blocked', blockedKind: 'turn_blocked', error: turn.reason }, now());
  state.recordActions(planBlockNotice(turn), now());
  const { repoId, id: runId, issueNumber } = run;
  recordEvents(tools, [
    { type: 'run_blocked', repoId, runId, issueNumber, payload: { reason: turn.reason } },
  ]);
}

/** At most this often in a row: somebody else keeps using the branch, and a person should look. */
const MAX_SUPERSEDED = 3;

/** Nothing of the turn was sent, so its run starts again, on a branch of its own. Inside a transaction. */
export function restartSuperseded(tools: Tools, turn: Turn): void {
  const { state, now } = tools;
  dropUnsent(tools, turn);
  const run = turn.runId === null ? undefined : state.readRun(turn.runId);
  if (run === undefined || run.prNumber !== null) return;
  if (state.countTurnsOfRun(run.id).superseded >= MAX_SUPERSEDED) {
    blockRunOf(tools, {
      ...turn,
      reason: `${MAX_SUPERSEDED} times in a row the branch was taken: ${turn.reason}`,
    });
    return;
  }
  const ordinal = nextOrdinal(state.listRunsOfIssue(run.repoId, run.issueNumber), run.flow);
  const branch = buildBranchName({ ...run, slug: buildSlug(run.issueTitle), ordinal });
  state.saveRun({ ...run, status: 'ready', ordinal, branch }, now());
}

/** What an ended turn never said stays unsaid, and must not stand in the line of its thread. */
function dropUnsent({ state, now }: Tools, turn: Turn): void {
  state.forgetBundle(turn.turnKey);
  for (const action of state.listActionsOfTurn(turn.turnKey).filter((other) => other.state === 'planned')) {
    state.saveAction({ ...action, state: 'refused', error: `not sent: the turn is ${turn.state}` }, now());
  }
}
