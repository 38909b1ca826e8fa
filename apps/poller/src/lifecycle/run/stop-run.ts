import { buildBranchName, buildDesignDocPath } from '@mergexo/core/flows';
import { renderBlockNotice, START_REMEDY } from '@mergexo/core/outbox';
import { buildSlug } from '@mergexo/core/text';
import type { BlockKind, Turn, WaitKind } from '@mergexo/core/turns';
import type { Run, State } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { recordNotice } from '../action.js';
import { blockPull } from '../block-pull.js';
import { dropUnsent, endTurn } from '../end-turn.js';
import { readPullOf, readRunOf } from '../read-pull-of.js';
import { recordEvents } from '../record-events.js';
import { failRound } from '../review/complete-round.js';
import { failFix } from '../review/end-fix.js';
import { askForReply, readLastWait } from './end-start.js';
import { nextOrdinal } from './record-issue.js';

/** Blocks a turn and its run, and posts one notice. Requires a transaction. */
export function blockTurn(tools: Records, turn: Turn, reason: string): void {
  blockRunOf(tools, endTurn(tools, turn, { end: 'blocked', reason }), { kind: 'turn_failed' });
}

/** With `waitKind`, a reply on the issue resumes work without a pull request. Otherwise an operator does. */
export type Stop = { kind: BlockKind; waitKind?: WaitKind | undefined };

/** Stops the run of a turn that is already blocked. Requires a transaction. */
export function blockRunOf(tools: Records, turn: Turn, { kind, waitKind }: Stop): void {
  const { state, now } = tools;
  const reason = turn.reason ?? 'unknown reason';
  const isOfReview = (turn.kind === 'review' || turn.kind === 'review_fix') && kind === 'turn_failed';
  if (isOfReview) giveUpReview(tools, turn, reason);
  const run = readRunOf(state, turn);
  const asksForReply = turn.prNumber === null && run !== undefined && waitKind !== undefined;
  // Asks for a reply before `dropUnsent`, which would release the turn's comments and resume the work at once.
  if (asksForReply) askForReply(tools, turn, { run, waitKind, reason });
  dropUnsent(tools, turn);
  if (asksForReply) return;
  if (isOfReview) return;
  const pull = readPullOf(state, turn);
  if (pull !== undefined) {
    blockPull(tools, pull, { kind, reason });
    return;
  }
  if (run === undefined) return;
  state.saveRun({ ...run, status: 'blocked', blockedKind: kind, error: reason }, now());
  const { repoId, id: runId, issueNumber } = run;
  const text = renderBlockNotice({ reason, remedy: START_REMEDY });
  const cause = [turn.turnKey];
  recordNotice(tools, { kind: 'block_notice', repoId, runId, thread: issueNumber, cause, payload: { text } });
  recordEvents(tools, [{ type: 'run_blocked', repoId, runId, issueNumber, payload: { kind, reason } }]);
}

/** Records a failed review or fix, so that the review loop escalates to a person. Comments are still answered. */
function giveUpReview(tools: Records, turn: Turn, reason: string): void {
  if (turn.kind === 'review') failRound(tools, turn);
  else failFix(tools, turn, { cause: turn.agentFailures > 0 ? 'agent_error' : 'other', reason });
}

/** Maximum number of superseded turns in a row. If others keep pushing to the branch, a person decides. */
const MAX_SUPERSEDED = 3;

/** Restarts work after a superseded turn, or blocks it after `MAX_SUPERSEDED` in a row. Requires a transaction. */
export function restartSuperseded(tools: Records, turn: Turn): void {
  const run = readRunOf(tools.state, turn);
  const isLast = run !== undefined && countSuperseded(tools.state, turn, run) >= MAX_SUPERSEDED;
  if (!isLast) dropUnsent(tools, turn);
  if (run !== undefined && turn.prNumber === null) leaveUnlessCheckpoint(tools, run);
  if (!isLast) return;
  const reason = `Somebody else moved the branch ${MAX_SUPERSEDED} times in a row: ${turn.reason}`;
  blockRunOf(tools, { ...turn, reason }, { kind: 'superseded', waitKind: 'superseded' });
}

/**
 * Moves the run to another branch, unless its branch has a checkpoint. Keeps a checkpoint branch even if people pushed
 * to it.
 */
function leaveUnlessCheckpoint(tools: Records, run: Run): void {
  const { state, now } = tools;
  if (state.readFollowup(run.repoId, run.issueNumber)?.context.checkpoint)
    state.saveRun({ ...run, status: 'ready' }, now());
  else leaveBranch(tools, run);
}

/** Moves the run to a new branch, because somebody else uses the old one. */
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

/** Counts the consecutive superseded turns at the end of the run. */
function countSuperseded(state: State, turn: Turn, run: Run): number {
  // A superseded review only means that the head changed, not that somebody else uses the branch.
  const isOutdated = (other: Turn): boolean => other.kind === 'review' && other.state === 'superseded';
  const turns = state
    .listTurnsOfRun(run.id)
    .filter((other) => other.prNumber === turn.prNumber && !isOutdated(other));
  const waitedAt = readLastWait(state, run);
  const recent = turns.filter(({ openedAt }) => openedAt >= run.clearedAt && openedAt > waitedAt).reverse();
  const end = recent.findIndex((other) => other.state !== 'superseded');
  return end < 0 ? recent.length : end;
}
