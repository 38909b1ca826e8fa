import { planNotice } from '@mergexo/core/actions';
import { renderParkNotice } from '@mergexo/core/outbox';
import { type Cap, renderRunName } from '@mergexo/core/runs';
import type { WaitKind } from '@mergexo/core/turns';
import type { NewRun, Run } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { recordEvents } from '../record-events.js';

/** A new run, ready for its first turn. Undefined when the run is on record already. Inside a transaction. */
export function createRun({ state, now }: Pick<Records, 'state' | 'now'>, run: NewRun): Run | undefined {
  return state.recordRun(run, now());
}

/** A turn of the run is open. `runStartCommentId` is the last comment on the issue that it consumes. Inside a transaction. */
export function startRun({ state, now }: Records, run: Run, runStartCommentId: number): void {
  state.saveRun({ ...run, status: 'running', blockedKind: null, error: null, runStartCommentId }, now());
}

/** Its turn ended before an agent worked on it: the run waits for its replies, or for its next turn. Inside a transaction. */
export function releaseRun({ state, now }: Records, run: Run, hasReplies: boolean): void {
  state.saveRun({ ...run, status: hasReplies ? 'awaiting_issue_followup' : 'ready' }, now());
}

/** The replies that resumed it are gone: the run waits for the same reason as before. Inside a transaction. */
export function waitAgain(
  { state, now }: Records,
  run: Run,
  { waitKind, reason }: { waitKind: WaitKind; reason: string },
): void {
  state.saveRun({ ...run, blockedKind: waitKind, error: reason, status: 'awaiting_issue_followup' }, now());
}

/** After a loss of the database: our last comment says that the run was blocked. Inside a transaction. */
export function restoreBlock({ state, now }: Pick<Records, 'state' | 'now'>, run: Run, reason: string): void {
  state.saveRun({ ...run, status: 'blocked', blockedKind: 'rebuilt', error: reason }, now());
}

/** Recorded once per cap, and posted where waiting does not help. The run stays ready and is checked in every cycle. */
export function parkRun(tools: Records, run: Run, { key, reason, lasting }: Cap): void {
  if (run.blockedKind === key) return;
  const { repoId, id: runId, issueNumber } = run;
  tools.state.transaction(() => {
    tools.state.saveRun({ ...run, blockedKind: key, error: reason }, tools.now());
    const words = renderParkNotice({ key, reason });
    const notice = planNotice({
      kind: 'park_notice',
      repoId,
      runId,
      thread: issueNumber,
      cause: [renderRunName(run), key, ...(run.clearedAt === 0 ? [] : [run.clearedAt])],
      words,
    });
    if (lasting) tools.state.recordActions([notice], tools.now());
    recordEvents(tools, [{ type: 'run_parked', repoId, runId, issueNumber, payload: { reason } }]);
  });
}
