import { placeOfRemark, type SigningKeys, verifyBody } from '@mergexo/core/outbox';
import { hasVerdict } from '@mergexo/core/review';
import type { Review } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import { restoreApproval } from '../lifecycle/review/complete-round.js';
import type { Repo, Self } from '../tools.js';

type Tools = { state: State; keys: SigningKeys; viewer: Self; now: () => number };

/**
 * A head that we approved stays approved: another look might come to another verdict, and would contradict the first. What
 * was rejected is looked at anew, since its findings are lost. Inside a transaction.
 */
export function rebuildReviews(
  { state, keys, viewer, now }: Tools,
  repo: Repo,
  { prNumber }: Pull,
  reviews: readonly Review[],
): void {
  const place = placeOfRemark(repo.id, { thread: prNumber, rootId: null });
  for (const { id: remoteId, author, body, state: shown } of reviews) {
    const proof = viewer.ids.has(author.id) ? verifyBody(body, place, keys) : undefined;
    const { kind, head, cycle } = proof?.meta ?? {};
    if (kind !== 'post_review' || head === undefined || !proof?.intact) continue;
    if (shown === 'dismissed' || !hasVerdict(proof.body, 'approved')) continue;
    const about = { repoId: repo.id, prNumber, headSha: head, fixCycle: Number(cycle ?? 0), turnKey: null };
    restoreApproval({ state, now }, about, remoteId);
  }
}
