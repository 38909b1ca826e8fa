import type { Records } from '../tools.js';

/** Names the mark of a merged pull request that may have brought a design document. */
export const MERGED = 'merged/';

/** Recorded in the transaction that records the merge, so that no crash loses it. */
export function markMerged(
  { state, now }: Pick<Records, 'state' | 'now'>,
  repoId: number,
  prNumber: number,
): void {
  state.saveCursor(repoId, `${MERGED}${prNumber}`, { cursor: null, etag: null }, now());
}
