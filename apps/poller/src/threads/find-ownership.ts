import { type ActionKind, listKindsIn, type ShownIn } from '@mergexo/core/actions';
import { type EventKind, type Ownership, type Remark, threadRootOf } from '@mergexo/core/feedback';
import { placeOfRemark, readToken, type SigningKeys, verifyBody } from '@mergexo/core/outbox';
import { STATUS_KIND } from '@mergexo/core/signs';
import type { State } from '@mergexo/state';
import type { Self } from '../tools.js';

export type OwnershipTools = { state: State; keys: SigningKeys; viewer: Self };

const LISTS: Record<EventKind, ShownIn | null> = {
  review: 'review_comment',
  review_summary: 'review',
  issue: 'issue_comment',
  ci: null,
};

/** Returns the kinds of actions that create a remark of this kind. */
export function kindsOf(kind: EventKind): readonly ActionKind[] {
  const list = LISTS[kind];
  return list === null ? [] : listKindsIn(list);
}

/** True for a MergeXO post that is missing from this database, which means that the database is outdated. */
export function isUnknownPost(
  { state }: Pick<OwnershipTools, 'state'>,
  repoId: number,
  remark: Remark,
): boolean {
  const token = readToken(remark.body);
  if (token === undefined || state.readActionByToken(token) !== undefined) return false;
  return state.readActionByRemoteId(repoId, kindsOf(remark.kind), remark.commentId) === undefined;
}

/** Returns whether MergeXO wrote the remark, and whether the remark is or copies a status comment. The author proves nothing, because people may share MergeXO's login. */
export function findOwnership(
  { state, keys, viewer }: OwnershipTools,
  repoId: number,
  remark: Remark,
): { ownership: Ownership; intact: boolean; isStatus: boolean } {
  const rootId = remark.kind === 'review' ? threadRootOf(remark) : null;
  const proof = verifyBody(remark.body, placeOfRemark(repoId, { thread: remark.thread, rootId }), keys);
  const isStatus = proof?.meta.kind === STATUS_KIND;
  const found = { intact: proof?.intact ?? false, isStatus };
  const { intact } = found;
  if (state.readActionByRemoteId(repoId, kindsOf(remark.kind), remark.commentId) !== undefined)
    return { ownership: 'ours', ...found };
  const statusId = state.readStatusComment(repoId, remark.thread)?.remoteId ?? null;
  if (remark.kind === 'issue' && remark.commentId === statusId)
    return { ownership: 'ours', intact, isStatus: true };
  // Line comments of a review have no signature, so MergeXO cannot detect edits to them.
  if (isOfOurReview({ state, viewer }, repoId, remark))
    return { ownership: 'ours', intact: true, isStatus: false };
  if (proof === undefined || !viewer.ids.has(remark.author.id)) return { ownership: 'not-ours', ...found };

  // Anyone can copy a signed comment, so only the first comment with this token is ours.
  const token = readToken(remark.body) ?? '';
  const recorded = state.readActionByToken(token)?.remoteId ?? null;
  const isLater =
    recorded !== null ||
    // Every edit of the status comment changes its token, and an issue has only one.
    (isStatus && statusId !== null) ||
    state
      .listEventsOfThread(repoId, remark.thread)
      .some(
        ({ skipReason, commentId, payload }) =>
          skipReason?.code === 'ours' && commentId < remark.commentId && readToken(payload.body) === token,
      );
  if (!isLater) return { ownership: 'ours', ...found };
  return { ownership: intact ? 'copy' : 'not-ours', ...found };
}

/** True for a line comment of our own review. Replies do not count, because each belongs to a separate review. */
function isOfOurReview(
  { state, viewer }: Pick<OwnershipTools, 'state' | 'viewer'>,
  repoId: number,
  { kind, thread, author, reviewId, inReplyToId }: Remark,
): boolean {
  if (kind !== 'review' || reviewId === null || inReplyToId !== null || !viewer.ids.has(author.id))
    return false;
  if (state.readActionByRemoteId(repoId, kindsOf('review_summary'), reviewId) !== undefined) return true;
  const review = state.readLastEventOfComment(repoId, {
    thread,
    kind: 'review_summary',
    commentId: reviewId,
  });
  return review?.skipReason?.code === 'ours';
}
