import { planNotice } from '@mergexo/core/actions';
import { renderCloseNotice } from '@mergexo/core/outbox';
import type { Pull, Run } from '@mergexo/state';
import type { Records } from '../tools.js';
import { endTurn } from './end-turn.js';
import { markMerged } from './mark-merged.js';
import { recordEvents } from './record-events.js';
import { finishOpenedStart } from './settle-turn.js';
import { CLOSED } from './skip-reasons.js';
import { dropNotices, reviveNotices } from './withdraw-notices.js';

/** Why a comment on the issue is not acted on once the work has ended. A reopened pull request revives those of its closing. */
export function explainEnded(run: Pick<Run, 'status' | 'prNumber'> | undefined): string {
  return run?.status === 'closed' && run.prNumber !== null
    ? `pull request #${run.prNumber} was closed`
    : 'no work on this issue is open';
}

/** Merged or closed: whatever runs stops, and what was not answered stays so, with the reason. Inside a transaction. */
export function closePull(
  tools: Records,
  repoId: number,
  prNumber: number,
  status: 'merged' | 'closed',
): void {
  const { state, now } = tools;
  const pull = state.readPull(repoId, prNumber);
  if (pull === undefined || pull.status === status) return;
  const { runId, issueNumber } = pull;
  // First, so that the events of the turn see it.
  state.savePull({ ...pull, status }, now());
  const reason = status === 'closed' ? CLOSED : 'the pull request was merged';
  const turn = state.readLiveTurnOfRun(runId);
  if (turn?.prNumber === null) finishOpenedStart(tools, turn, reason);
  else if (turn !== undefined) endTurn(tools, turn, 'cancelled', reason);
  // A later run of the issue may wait for an answer meanwhile.
  if (state.readFollowup(repoId, issueNumber)?.branch === pull.branch)
    state.deleteFollowup(repoId, issueNumber);
  for (const event of state.listUnclaimedEvents(repoId, prNumber))
    state.markEventProcessed(event, now(), reason);
  dropNotices(tools, repoId, prNumber, reason);
  dropNotices(tools, repoId, issueNumber, reason, ['redirect']);
  const run = state.readRun(runId);
  if (run !== undefined) state.saveRun({ ...run, status }, now());
  if (status === 'closed') sayClosed(tools, pull);
  if (status === 'merged') state.retireSession(runId, now());
  if (status === 'merged' && run?.flow === 'design_doc') markMerged(tools, repoId, prNumber);
  recordEvents(tools, [{ type: 'pull_closed', repoId, runId, issueNumber, prNumber, payload: { status } }]);
}

/** Once per closing; a merge speaks for itself. */
function sayClosed({ state, now }: Records, { repoId, runId, prNumber }: Pull): void {
  const cause = [state.countEventsOfPull(repoId, prNumber, 'pull_closed')];
  const words = renderCloseNotice('pull');
  state.recordActions(
    [planNotice({ kind: 'close_notice', repoId, runId, thread: prNumber, cause, words })],
    now(),
  );
}

/** A block outlives a closing: only a person lifts it. What waited for an answer waits again. Inside a transaction. */
export function reopenPull(tools: Records, repoId: number, prNumber: number): void {
  const { state, now } = tools;
  const pull = state.readPull(repoId, prNumber);
  if (pull?.status !== 'closed') return;
  const { runId, issueNumber, blockedKind } = pull;
  const status = blockedKind === null ? ('awaiting_feedback' as const) : ('blocked' as const);
  state.savePull({ ...pull, status, listedAt: null }, now());
  dropNotices(tools, repoId, prNumber, 'it was reopened', ['close_notice']);
  state.reviveEvents(repoId, prNumber, CLOSED);
  state.reviveEvents(repoId, issueNumber, explainEnded({ status: 'closed', prNumber }));
  reviveNotices(tools, pull);
  const run = state.readRun(runId);
  if (run !== undefined) state.saveRun({ ...run, status }, now());
  recordEvents(tools, [{ type: 'pull_reopened', repoId, runId, issueNumber, prNumber, payload: { status } }]);
}
