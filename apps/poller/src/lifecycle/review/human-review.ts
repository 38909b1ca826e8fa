import type { Pull } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { recordNotice } from '../action.js';
import { recordEvents } from '../record-events.js';

/** Stops the review loop until a person resumes it. Requires a transaction. */
export function requireHumanReview({ state, now }: Pick<Records, 'state' | 'now'>, pull: Pull): void {
  state.savePull({ ...pull, humanReviewRequired: true, escalatedAt: now() }, now());
}

/**
 * Resumes the loop with a new fix budget. Fixes in the same millisecond count against the old budget. Requires a
 * transaction.
 */
export function resumeReviewLoop({ state, now }: Pick<Records, 'state' | 'now'>, pull: Pull): void {
  const resumed = { humanReviewRequired: false, reviewSkippedSha: null, resumedAt: now() };
  state.savePull({ ...pull, ...resumed }, now());
}

/**
 * Approves the head without an AI review. Returns false if an operator has already skipped its review. Requires a
 * transaction.
 */
export function skipReview(
  tools: Records,
  { pull, headSha }: { pull: Pull; headSha: string },
  { by, reason, cause }: { by: string; reason: string | null; cause: readonly (string | number)[] },
): boolean {
  if (pull.reviewSkippedSha === headSha) return false;
  const { repoId, runId, prNumber, issueNumber } = pull;
  tools.state.savePull({ ...pull, reviewSkippedSha: headSha }, tools.now());
  const notice = { repoId, runId, thread: prNumber, cause: [headSha, ...cause] };
  recordNotice(tools, { ...notice, kind: 'review_skipped_status', payload: { headSha } });
  const about = { repoId, runId, issueNumber, prNumber };
  recordEvents(tools, [{ type: 'review_skipped', ...about, payload: { by, reason, head_sha: headSha } }]);
  return true;
}

/** Keeps reviewers from raising these findings again. Requires a transaction. */
export function dismissFindings(
  { state, now }: Pick<Records, 'state' | 'now'>,
  ids: readonly number[],
): void {
  for (const id of ids) state.markFindingDismissed(id, now());
}
