import { renderParkNotice } from '@mergexo/core/outbox';
import { type Cap, findCapEnd, renderRunName } from '@mergexo/core/runs';
import type { WaitKind } from '@mergexo/core/turns';
import type { NewRun, Run } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { recordNotice } from '../action.js';
import { recordEvents } from '../record-events.js';

/**
 * Records a run that is ready for its first turn. Returns undefined if the run already exists. Requires a transaction.
 */
export function createRun({ state, now }: Pick<Records, 'state' | 'now'>, run: NewRun): Run | undefined {
  return state.recordRun(run, now());
}

/** Starts the run. `runStartCommentId` is the last issue comment that the turn reads. Requires a transaction. */
export function startRun({ state, now }: Records, run: Run, runStartCommentId: number): void {
  state.saveRun({ ...run, status: 'running', blockedKind: null, error: null, runStartCommentId }, now());
}

/** Makes a run available again if its turn ended before an agent started. Requires a transaction. */
export function releaseRun({ state, now }: Records, run: Run, hasReplies: boolean): void {
  state.saveRun({ ...run, status: hasReplies ? 'awaiting_issue_followup' : 'ready' }, now());
}

/**
 * Makes the run wait for a reply again, for the same reason as before, after the replies of its turn were
 * removed. Requires a transaction.
 */
export function waitAgain(
  { state, now }: Records,
  run: Run,
  { waitKind, reason }: { waitKind: WaitKind; reason: string },
): void {
  state.saveRun({ ...run, blockedKind: waitKind, error: reason, status: 'awaiting_issue_followup' }, now());
}

/** After a database loss, blocks a run whose latest MergeXO comment is a block notice. Requires a transaction. */
export function restoreBlock({ state, now }: Pick<Records, 'state' | 'now'>, run: Run, reason: string): void {
  state.saveRun({ ...run, status: 'blocked', blockedKind: 'rebuilt', error: reason }, now());
}

/**
 * Records the limit that the run has reached, unless it is already recorded. Posts a notice if an operator can lift the
 * limit. Every cycle checks the run again.
 */
export function parkRun(tools: Records, run: Run, { key, reason, end }: Cap): void {
  if (run.blockedKind === key) return;
  const { repoId, id: runId, issueNumber } = run;
  tools.state.transaction(() => {
    tools.state.saveRun({ ...run, blockedKind: key, error: reason }, tools.now());
    const payload = { text: renderParkNotice({ end, reason }) };
    const cause = [renderRunName(run), key, ...(run.clearedAt === 0 ? [] : [run.clearedAt])];
    if (end !== 'capacity')
      recordNotice(tools, { kind: 'park_notice', repoId, runId, thread: issueNumber, cause, payload });
    recordEvents(tools, [
      { type: 'run_parked', repoId, runId, issueNumber, payload: { limit: key, reason } },
    ]);
  });
}

/** Forgets the limit, once a run that does not start at once is below it. */
export function unparkRun({ state, now }: Records, run: Run): void {
  if (findCapEnd(run.blockedKind) === undefined) return;
  state.transaction(() => state.saveRun({ ...run, blockedKind: null, error: null }, now()));
}
