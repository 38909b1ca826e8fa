import { planNotice } from '@mergexo/core/actions';
import { buildBranchName, buildDesignDocPath } from '@mergexo/core/flows';
import { renderBlockNotice, START_REMEDY } from '@mergexo/core/outbox';
import { buildSlug } from '@mergexo/core/text';
import type { BlockKind, Turn, WaitKind } from '@mergexo/core/turns';
import type { Run, State } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { blockPull } from '../block-pull.js';
import { dropUnsent, endTurn } from '../end-turn.js';
import { recordEvents } from '../record-events.js';
import { failRound } from '../review/complete-round.js';
import { failFix } from '../review/end-fix.js';
import { askForReply, readLastWait } from './end-start.js';
import { nextOrdinal } from './take-in-issue.js';

/** A turn that can go no further takes its run along, and a person is told once. Inside a transaction. */
export function blockTurn(tools: Records, turn: Turn, reason: string): void {
  blockRunOf(tools, endTurn(tools, turn, 'blocked', reason), { kind: 'turn_failed' });
}

/** `waitKind`: before there is a pull request, a reply on the issue resumes the work; otherwise only an operator does. */
export type Stop = { kind: BlockKind; waitKind?: WaitKind | undefined };

/** For a turn that is blocked already. */
export function blockRunOf(tools: Records, turn: Turn, { kind, waitKind }: Stop): void {
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
function giveUpReview(tools: Records, turn: Turn, reason: string): void {
  if (turn.kind === 'review') failRound(tools, turn);
  else failFix(tools, turn, { cause: turn.agentFailures > 0 ? 'agent_error' : 'other', reason });
}

/** At most this often in a row: somebody else keeps using the branch, and a person should look. */
const MAX_SUPERSEDED = 3;

/** Nothing of the turn was sent. A start begins again on a branch of its own; comments open a new turn. Inside a transaction. */
export function restartSuperseded(tools: Records, turn: Turn): void {
  const run = turn.runId === null ? undefined : tools.state.readRun(turn.runId);
  const isLast = run !== undefined && countSuperseded(tools.state, turn, run) >= MAX_SUPERSEDED;
  if (!isLast) dropUnsent(tools, turn);
  if (run !== undefined && turn.prNumber === null) leaveUnlessCheckpoint(tools, run);
  if (!isLast) return;
  const reason = `${MAX_SUPERSEDED} times in a row somebody else moved the branch: ${turn.reason}`;
  blockRunOf(tools, { ...turn, reason }, { kind: 'superseded', waitKind: 'superseded' });
}

/** Commits that people added to a checkpoint are built upon; a new branch that somebody else uses is left to them. */
function leaveUnlessCheckpoint(tools: Records, run: Run): void {
  const { state, now } = tools;
  if (state.readFollowup(run.repoId, run.issueNumber)?.context.checkpoint)
    state.saveRun({ ...run, status: 'ready' }, now());
  else leaveBranch(tools, run);
}

/** Begins again on a branch of its own; the old one is somebody else's now. */
export function leaveBranch(tools: Records, run: Run): void {
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
