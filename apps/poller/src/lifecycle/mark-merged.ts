import type { Records } from '../tools.js';

/** Call this in the transaction that records a merge, so that a crash cannot lose the design document. */
export function markMerged(
  { state, now }: Pick<Records, 'state' | 'now'>,
  repoId: number,
  prNumber: number,
): void {
  state.recordTask({ repoId, kind: 'promote_merged', number: prNumber }, now());
}
