import { placeOfRemark, type SigningKeys, verifyBody } from '@mergexo/core/outbox';
import { hasVerdict } from '@mergexo/core/review';
import type { Review } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import { restoreApproval } from '../lifecycle/review/complete-round.js';
import type { Self } from '../tools.js';

type Tools = { state: State; keys: SigningKeys; viewer: Self; now: () => number };

/**
 * Restores approvals, because a second review of the same head might contradict the first. Rejected heads are reviewed
 * again, because their findings are lost. Requires a transaction.
 */
export function rebuildReviews(
  { state, keys, viewer, now }: Tools,
  { repoId, prNumber }: Pull,
  reviews: readonly Review[],
): void {
  const place = placeOfRemark(repoId, { thread: prNumber, rootId: null });
  for (const { id: remoteId, author, body, state: shown } of reviews) {
    const proof = viewer.ids.has(author.id) ? verifyBody(body, place, keys) : undefined;
    const { kind, head, cycle } = proof?.meta ?? {};
    if (kind !== 'post_review' || head === undefined || !proof?.intact) continue;
    if (shown === 'dismissed' || !hasVerdict(proof.body, 'approved')) continue;
    const about = { repoId, prNumber, headSha: head, fixCycle: Number(cycle ?? 0), turnKey: null };
    restoreApproval({ state, now }, about, remoteId);
  }
}
