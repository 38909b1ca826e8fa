import type { Records } from '../../tools.js';

type Seen = { number: number; open: boolean; blockedBy: number };

/**
 * Records GitHub's count of open blockers, for an issue that MergeXO works on. The blockers are listed again whenever
 * the issue changed, because another issue may block it now. Requires a transaction.
 */
export function noteBlockers({ state }: Pick<Records, 'state'>, repoId: number, issue: Seen): void {
  const { number, open, blockedBy: count } = issue;
  const known = state.readBlockers(repoId, number);
  if (count === 0 || !open) {
    if (known !== undefined) state.deleteBlockers(repoId, number);
  } else if (known !== undefined) state.saveBlockers({ ...known, count, listedAt: null });
  else if (state.hasLiveRun(repoId, number))
    state.saveBlockers({
      repoId,
      issueNumber: number,
      count,
      open: null,
      listed: 0,
      etag: null,
      listedAt: null,
    });
}
