import type { Pull } from '@mergexo/state';
import type { Records } from '../../tools.js';

/** Stops the review loop until a person resumes it. Requires a transaction. */
export function requireHumanReview({ state, now }: Pick<Records, 'state' | 'now'>, pull: Pull): void {
  state.savePull({ ...pull, humanReviewRequired: true, escalatedAt: now() }, now());
}

/**
 * Resumes the loop with a new fix budget. Fixes in the same millisecond count against the old budget. Requires a
 * transaction.
 */
export function resumeReviewLoop({ state, now }: Pick<Records, 'state' | 'now'>, pull: Pull): void {
  state.savePull({ ...pull, humanReviewRequired: false, resumedAt: now() }, now());
}

/** Keeps reviewers from raising these findings again. Requires a transaction. */
export function dismissFindings(
  { state, now }: Pick<Records, 'state' | 'now'>,
  ids: readonly number[],
): void {
  for (const id of ids) state.markFindingDismissed(id, now());
}
