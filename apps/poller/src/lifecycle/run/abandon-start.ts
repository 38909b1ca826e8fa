import { renderCloseNotice } from '@mergexo/core/outbox';
import { renderSkipReason } from '@mergexo/core/reasons';
import {
  type Account,
  findDistrust,
  isLiveRun,
  RUN_END_TRAITS,
  type RunEnd,
  renderRunName,
} from '@mergexo/core/runs';
import { hasLabel } from '@mergexo/core/text';
import type { Run, State } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { recordNotice } from '../action.js';
import { endTurn } from '../end-turn.js';
import { recordEvents } from '../record-events.js';

/** Reason to stop work on an issue. `since` is the time at which GitHub last updated the issue. */
export type Abandonment =
  | { kind: 'taken-over'; since: string }
  | { kind: 'closed' }
  | { kind: 'author-removed'; reason: string };

/** Returns why work on the issue must stop; undefined if it may continue. */
export function findAbandonment(
  issue: { open: boolean; labels: readonly string[]; updatedAt: string },
  ignoreLabel: string,
): Abandonment | undefined {
  if (hasLabel(issue.labels, ignoreLabel)) return { kind: 'taken-over', since: issue.updatedAt };
  return issue.open ? undefined : { kind: 'closed' };
}

/**
 * Checks whether the issue's author was removed from `allowed_users` after the issue was recorded. Work that other
 * people approved continues: implementations of a merged design, and work that somebody's reply resumed.
 */
export function findRemovedAuthor(
  state: State,
  { repoId, issueNumber, flow }: Run,
  { author, allowedUsers }: { author: Account; allowedUsers: readonly string[] },
): Abandonment | undefined {
  const isApproved = flow === 'implementation' || state.readFollowup(repoId, issueNumber) !== undefined;
  const distrust = isApproved ? undefined : findDistrust(author, allowedUsers);
  return distrust === undefined
    ? undefined
    : { kind: 'author-removed', reason: `the issue's author ${renderSkipReason(distrust)}` };
}

export function describeAbandonment(abandonment: Abandonment): string {
  if (abandonment.kind === 'author-removed') return abandonment.reason;
  return abandonment.kind === 'taken-over' ? 'a person took it over' : 'the issue was closed';
}

/**
 * Stops work that has no pull request. A closed issue or a removed author ends the run. After a takeover,
 * implementations and waiting or blocked runs pause. Other runs end, but may start again. Requires a transaction.
 */
export function abandonStart(tools: Records, run: Run, abandonment: Abandonment): void {
  const { state, now } = tools;
  if (!isLiveRun(run) || run.prNumber !== null) return;
  const reason = describeAbandonment(abandonment);
  const turn = state.readLiveTurnOfRun(run.id);
  if (turn !== undefined) endTurn(tools, turn, { end: 'cancelled', reason });
  const followup = state.readFollowup(run.repoId, run.issueNumber);
  if (abandonment.kind === 'closed') {
    endRun(tools, run, { end: 'issue_closed', reason });
    return;
  }
  if (abandonment.kind === 'author-removed') {
    endRun(tools, run, { end: 'author_removed', reason });
    return;
  }
  // An implementation has no label that could request it again, so a takeover does not end it.
  const isAskedFor = run.flow !== 'implementation';
  if (followup === undefined && run.status !== 'blocked' && isAskedFor) {
    endRun(tools, run, { end: 'takeover', reason });
    return;
  }
  if (run.ignoredSince !== null && turn === undefined) return;
  const rest = run.status === 'running' ? ('ready' as const) : run.status;
  const status = followup === undefined ? rest : ('awaiting_issue_followup' as const);
  const wait = followup && { blockedKind: followup.context.waitKind, error: followup.waitingReason };
  state.saveRun({ ...run, ...wait, status, ignoredSince: run.ignoredSince ?? abandonment.since }, now());
  const { repoId, id: runId, issueNumber } = run;
  recordEvents(tools, [{ type: 'takeover', repoId, runId, issueNumber, payload: { taken_over: true } }]);
}

/** Ends a takeover after the ignore label was removed, so that the next comment may resume the work. */
export function resumeStart(tools: Records, run: Run): void {
  if (run.ignoredSince === null) return;
  const { repoId, id: runId, issueNumber } = run;
  tools.state.saveRun({ ...run, ignoredSince: null }, tools.now());
  recordEvents(tools, [{ type: 'takeover', repoId, runId, issueNumber, payload: { taken_over: false } }]);
}

/** Ends a run. Posts a notice only if the run had a turn, because nobody waits for work that never started. */
export function endRun(tools: Records, run: Run, { end, reason }: { end: RunEnd; reason: string }): void {
  const { state, now } = tools;
  const { repoId, id: runId, issueNumber } = run;
  state.saveRun({ ...run, status: 'closed', endedKind: end, blockedKind: null, error: null }, now());
  state.deleteFollowup(repoId, issueNumber);
  recordEvents(tools, [{ type: 'run_closed', repoId, runId, issueNumber, payload: { reason } }]);
  if (!RUN_END_TRAITS[end].isTold || state.listTurnsOfRun(runId).length === 0) return;
  const text = renderCloseNotice('issue');
  const cause = [renderRunName(run)];
  recordNotice(tools, { kind: 'close_notice', repoId, runId, thread: issueNumber, cause, payload: { text } });
}
