import { buildReviewEvent, type ReviewDecision } from '@mergexo/core/review';
import type { Pull } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { recordNotice } from '../action.js';
import { recordEvents } from '../record-events.js';

/** Sets the commit status to success after people dismissed every blocking finding. Requires a transaction. */
export function approveDismissed(
  tools: Records,
  { repoId, runId, issueNumber, prNumber }: Pull,
  { roundId, headSha }: Extract<ReviewDecision, { kind: 'lift' }>,
): void {
  const { state } = tools;
  const round = state.readReviewRound(roundId);
  if (round === undefined || !state.approveReviewRound(roundId)) return;
  const notice = { repoId, runId, thread: prNumber, cause: ['lifted', headSha] };
  recordNotice(tools, { ...notice, kind: 'review_status', payload: { headSha } });
  recordEvents(tools, [
    buildReviewEvent(
      'work_approved',
      { repoId, runId, issueNumber, prNumber },
      { round_id: roundId, head_sha: headSha, fix_cycle: round.fixCycle, findings_count: 0 },
    ),
  ]);
}
