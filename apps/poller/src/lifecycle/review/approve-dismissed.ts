import { planNotice } from '@mergexo/core/actions';
import { buildReviewEvent, type ReviewDecision } from '@mergexo/core/review';
import type { Pull } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { recordEvents } from '../record-events.js';

/** People dismissed every blocking finding: sets the commit status to success. Inside a transaction. */
export function approveDismissed(
  tools: Records,
  { repoId, runId, issueNumber, prNumber }: Pull,
  { roundId, headSha }: Extract<ReviewDecision, { kind: 'lift' }>,
): void {
  const { state, now } = tools;
  const round = state.readReviewRound(roundId);
  if (round === undefined || !state.approveReviewRound(roundId)) return;
  const cause = ['lifted', headSha];
  state.recordActions(
    [planNotice({ kind: 'review_status', repoId, runId, thread: prNumber, cause, words: headSha })],
    now(),
  );
  recordEvents(tools, [
    buildReviewEvent(
      'work_approved',
      { repoId, runId, issueNumber, prNumber },
      { round_id: roundId, head_sha: headSha, fix_cycle: round.fixCycle, findings_count: 0 },
    ),
  ]);
}
