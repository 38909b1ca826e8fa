import { planNotice } from '@mergexo/core/actions';
import { renderCloseNotice } from '@mergexo/core/outbox';
import { type Account, explainDistrust, isLiveRun, renderRunName } from '@mergexo/core/runs';
import { hasLabel } from '@mergexo/core/text';
import type { Run, State } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { endTurn } from '../end-turn.js';
import { recordEvents } from '../record-events.js';

/** Why a run that ended does not count as the answer to its label: it may begin again. */
export const TAKEOVER = 'takeover';
export const ISSUE_CLOSED = 'issue_closed';
export const AUTHOR_REMOVED = 'author_removed';
/** Ended, and counts as done: work that depends on it need not wait any more. */
export const BY_HAND = 'implemented_by_hand';

/** `since`: GitHub's time of what we saw. */
export type Abandonment =
  | { kind: 'taken-over'; since: string }
  | { kind: 'closed' }
  | { kind: 'author-removed'; reason: string };

/** What a look at an issue says about work on it; undefined when nothing stands in the way. */
export function findAbandonment(
  issue: { open: boolean; labels: readonly string[]; updatedAt: string },
  ignoreLabel: string,
): Abandonment | undefined {
  if (hasLabel(issue.labels, ignoreLabel)) return { kind: 'taken-over', since: issue.updatedAt };
  return issue.open ? undefined : { kind: 'closed' };
}

/**
 * The issue's author may have been removed from `allowed_users` since the issue was recorded. Work that others approved
 * goes on: an implementation, whose design was merged, and work that was resumed by somebody's reply.
 */
export function findRemovedAuthor(
  state: State,
  { author }: { author: Account },
  { repoId, issueNumber, flow }: Run,
  allowedUsers: readonly string[],
): Abandonment | undefined {
  const isApproved = flow === 'implementation' || state.readFollowup(repoId, issueNumber) !== undefined;
  const distrust = isApproved ? undefined : explainDistrust(author, allowedUsers);
  return distrust === undefined ? undefined : { kind: 'author-removed', reason: `its author ${distrust}` };
}

export function describeAbandonment(abandonment: Abandonment): string {
  if (abandonment.kind === 'author-removed') return abandonment.reason;
  return abandonment.kind === 'taken-over' ? 'a person took it over' : 'the issue was closed';
}

/**
 * Work without a pull request stops. Taken over, it waits where it has waited before, and begins anew without the label
 * otherwise; with the issue closed it ends, and says so once. Inside a transaction.
 */
export function abandonStart(tools: Records, run: Run, abandonment: Abandonment): void {
  const { state, now } = tools;
  if (!isLiveRun(run) || run.prNumber !== null) return;
  const reason = describeAbandonment(abandonment);
  const turn = state.readLiveTurnOfRun(run.id);
  if (turn !== undefined) endTurn(tools, turn, 'cancelled', reason);
  const followup = state.readFollowup(run.repoId, run.issueNumber);
  if (abandonment.kind === 'closed') {
    endRun(tools, run, { reason, kind: ISSUE_CLOSED, said: true });
    return;
  }
  if (abandonment.kind === 'author-removed') {
    endRun(tools, run, { reason, kind: AUTHOR_REMOVED, said: false });
    return;
  }
  // An implementation has no label that could ask for it again.
  const isAskedFor = run.flow !== 'implementation';
  if (followup === undefined && run.status !== 'blocked' && isAskedFor) {
    endRun(tools, run, { reason, kind: TAKEOVER, said: false });
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

/** The label is gone: the next fresh word resumes the work. */
export function resumeStart(tools: Records, run: Run): void {
  if (run.ignoredSince === null) return;
  const { repoId, id: runId, issueNumber } = run;
  tools.state.saveRun({ ...run, ignoredSince: null }, tools.now());
  recordEvents(tools, [{ type: 'takeover', repoId, runId, issueNumber, payload: { taken_over: false } }]);
}

/** Whoever had a turn may wonder what became of it; work that never began needs no word. */
export function endRun(
  tools: Records,
  run: Run,
  { reason, kind, said }: { reason: string; kind: string | null; said: boolean },
): void {
  const { state, now } = tools;
  const { repoId, id: runId, issueNumber } = run;
  state.saveRun({ ...run, status: 'closed', blockedKind: kind, error: null }, now());
  state.deleteFollowup(repoId, issueNumber);
  recordEvents(tools, [{ type: 'run_closed', repoId, runId, issueNumber, payload: { reason } }]);
  if (!said || state.listTurnsOfRun(runId).length === 0) return;
  const words = renderCloseNotice('issue');
  const cause = [renderRunName(run)];
  const notice = planNotice({ kind: 'close_notice', repoId, runId, thread: issueNumber, cause, words });
  state.recordActions([notice], now());
}
