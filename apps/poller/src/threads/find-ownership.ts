import {
  type ActionKind,
  type EventKind,
  OURS,
  type Ownership,
  placeOfRemark,
  type Remark,
  readToken,
  type SigningKeys,
  threadRootOf,
  verifyBody,
} from '@mergexo/core';
import type { State } from '@mergexo/state';
import type { Self } from '../tools.js';

export type OwnershipTools = { state: State; keys: SigningKeys; viewer: Self };

const REPLIES: readonly ActionKind[] = ['review_reply', 'finding_reply', 'thread_link'];
const REVIEWS: readonly ActionKind[] = ['post_review'];
const COMMENTS: readonly ActionKind[] = [
  'status_comment',
  'wait_comment',
  'general_comment',
  'command_reply',
  'unblock_notice',
  'block_notice',
  'park_notice',
  'redirect',
  'close_notice',
  'conflict_notice',
  'document_notice',
  'fix_summary',
  'escalation_notice',
  'resume_notice',
  'reviewer_notice',
];

/** What we post of each kind. GitHub numbers each kind by itself. */
export function kindsOf(kind: EventKind): readonly ActionKind[] {
  switch (kind) {
    case 'review':
      return REPLIES;
    case 'review_summary':
      return REVIEWS;
    case 'issue':
      return COMMENTS;
    case 'ci':
      return [];
  }
}

/** A post of ours that the database never sent: it is older than GitHub. Comments of a review carry no token. */
export function isUnknownPost(
  { state }: Pick<OwnershipTools, 'state'>,
  repoId: number,
  remark: Remark,
): boolean {
  const token = readToken(remark.body);
  if (token === undefined || state.readActionByToken(token) !== undefined) return false;
  return state.readActionByRemoteId(repoId, kindsOf(remark.kind), remark.commentId) === undefined;
}

/** Whether we wrote it. The author proves nothing, since people run this under their own login; a foreign marker neither. */
export function findOwnership(
  { state, keys, viewer }: OwnershipTools,
  repoId: number,
  remark: Remark,
): { ownership: Ownership; intact: boolean } {
  const rootId = remark.kind === 'review' ? threadRootOf(remark) : null;
  const proof = verifyBody(remark.body, placeOfRemark(repoId, { thread: remark.thread, rootId }), keys);
  const intact = proof?.intact ?? false;
  if (state.readActionByRemoteId(repoId, kindsOf(remark.kind), remark.commentId) !== undefined)
    return { ownership: 'ours', intact };
  // It carries no proof of its own, so an edit of it is not noticed.
  if (isOfOurReview({ state, viewer }, repoId, remark)) return { ownership: 'ours', intact: true };
  if (proof === undefined || !viewer.ids.has(remark.author.id)) return { ownership: 'not-ours', intact };

  // Whoever has the words can post them again; only the first is ours.
  const token = readToken(remark.body) ?? '';
  const recorded = state.readActionByToken(token)?.remoteId ?? null;
  const isLater =
    recorded !== null ||
    state
      .listEventsOfThread(repoId, remark.thread)
      .some(
        ({ skipReason, commentId, payload }) =>
          skipReason === OURS && commentId < remark.commentId && readToken(payload.body) === token,
      );
  if (!isLater) return { ownership: 'ours', intact };
  return { ownership: intact ? 'copy' : 'not-ours', intact };
}

/** A comment on a line that came with a review is as much ours as the review; replies come in reviews of their own. */
function isOfOurReview(
  { state, viewer }: Pick<OwnershipTools, 'state' | 'viewer'>,
  repoId: number,
  { kind, thread, author, reviewId, inReplyToId }: Remark,
): boolean {
  if (kind !== 'review' || reviewId === null || inReplyToId !== null || !viewer.ids.has(author.id))
    return false;
  if (state.readActionByRemoteId(repoId, REVIEWS, reviewId) !== undefined) return true;
  const review = state.readLastEventOfComment(repoId, {
    thread,
    kind: 'review_summary',
    commentId: reviewId,
  });
  return review?.skipReason === OURS;
}
