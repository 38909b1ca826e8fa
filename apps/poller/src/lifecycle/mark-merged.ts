import type { Records } from '../tools.js';

/** Recorded in the transaction that records the merge, so that no crash loses the design document it may have brought. */
export function markMerged(
  { state, now }: Pick<Records, 'state' | 'now'>,
  repoId: number,
  prNumber: number,
): void {
  state.recordTask({ repoId, kind: 'promote_merged', number: prNumber }, now());
}
