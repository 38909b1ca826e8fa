import { renderCloseNotice } from '@mergexo/core/outbox';
import { renderSkipReason, type SkipReason } from '@mergexo/core/reasons';
import type { Pull, Run } from '@mergexo/state';
import type { Records } from '../tools.js';
import { recordNotice } from './action.js';
import { endTurn } from './end-turn.js';
import { markMerged } from './mark-merged.js';
import { recordEvents } from './record-events.js';
import { finishOpenedStart } from './settle-turn.js';
import { dropNotices, reviveNotices } from './withdraw-notices.js';

/** Returns why a comment on the issue is skipped after the work ended. Reopening may make the comment pending again. */
export function explainEnded(run: Pick<Run, 'status' | 'prNumber'> | undefined): SkipReason {
  return run?.status === 'closed' && run.prNumber !== null
    ? { code: 'issue_pull_closed', prNumber: run.prNumber }
    : { code: 'no_open_work' };
}

/** Records a merged or closed pull request, cancels its turn and skips unanswered comments. Requires a transaction. */
export function closePull(
  tools: Records,
  { repoId, prNumber }: Pick<Pull, 'repoId' | 'prNumber'>,
  status: 'merged' | 'closed',
): void {
  const { state, now } = tools;
  const pull = state.readPull(repoId, prNumber);
  if (pull === undefined || pull.status === status) return;
  const { runId, issueNumber } = pull;
  // Saves the status first, because `endTurn` reads it.
  state.savePull({ ...pull, status }, now());
  const reason = { code: 'pull_ended', status } as const;
  const turn = state.readLiveTurnOfRun(runId);
  if (turn?.prNumber === null) finishOpenedStart(tools, turn, reason);
  else if (turn !== undefined) endTurn(tools, turn, { end: 'cancelled', reason: renderSkipReason(reason) });
  // The stored follow-up state may belong to a later run of the issue.
  if (state.readFollowup(repoId, issueNumber)?.branch === pull.branch)
    state.deleteFollowup(repoId, issueNumber);
  for (const event of state.listUnclaimedEvents(repoId, prNumber))
    state.markEventProcessed(event, now(), reason);
  dropNotices(tools, { repoId, thread: prNumber }, reason);
  dropNotices(tools, { repoId, thread: issueNumber, kinds: ['redirect'] }, reason);
  const run = state.readRun(runId);
  if (run !== undefined) state.saveRun({ ...run, status }, now());
  if (status === 'closed') reportClosed(tools, pull);
  if (status === 'merged') state.retireSession(runId, now());
  if (status === 'merged' && run?.flow === 'design_doc') markMerged(tools, repoId, prNumber);
  recordEvents(tools, [{ type: 'pull_closed', repoId, runId, issueNumber, prNumber, payload: { status } }]);
}

/** Posts one notice each time the pull request is closed without a merge. */
function reportClosed(tools: Records, { repoId, runId, prNumber }: Pull): void {
  const cause = [tools.state.countEventsOfPull(repoId, prNumber, 'pull_closed')];
  const text = renderCloseNotice('pull');
  recordNotice(tools, { kind: 'close_notice', repoId, runId, thread: prNumber, cause, payload: { text } });
}

/** Records a reopened pull request. A block stays, and skipped comments are pending again. Requires a transaction. */
export function reopenPull(tools: Records, repoId: number, prNumber: number): void {
  const { state, now } = tools;
  const pull = state.readPull(repoId, prNumber);
  if (pull?.status !== 'closed') return;
  const { runId, issueNumber, blockedKind } = pull;
  const status = blockedKind === null ? ('awaiting_feedback' as const) : ('blocked' as const);
  state.savePull({ ...pull, status, listedAt: null }, now());
  dropNotices(tools, { repoId, thread: prNumber, kinds: ['close_notice'] }, { code: 'reopened' });
  state.reviveEvents(repoId, prNumber, { code: 'pull_ended', status: 'closed' });
  state.reviveEvents(repoId, issueNumber, { code: 'issue_pull_closed', prNumber });
  reviveNotices(tools, pull);
  const run = state.readRun(runId);
  if (run !== undefined) state.saveRun({ ...run, status }, now());
  recordEvents(tools, [{ type: 'pull_reopened', repoId, runId, issueNumber, prNumber, payload: { status } }]);
}
