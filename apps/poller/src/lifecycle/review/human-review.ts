import type { Pull } from '@mergexo/state';
import type { Records } from '../../tools.js';

/** The review loop stops until a person resumes it. Inside a transaction. */
export function requireHumanReview({ state, now }: Pick<Records, 'state' | 'now'>, pull: Pull): void {
  state.savePull({ ...pull, humanReviewRequired: true, escalatedAt: now() }, now());
}

/** The budget of fixes is counted from here on; a fix that ended in the same instant ended before. Inside a transaction. */
export function resumeReviewLoop({ state, now }: Pick<Records, 'state' | 'now'>, pull: Pull): void {
  state.savePull({ ...pull, humanReviewRequired: false, resumedAt: now() }, now());
}

/** Findings that people dismissed are not raised again. Inside a transaction. */
export function dismissFindings(
  { state, now }: Pick<Records, 'state' | 'now'>,
  ids: readonly number[],
): void {
  for (const id of ids) state.markFindingDismissed(id, now());
}
