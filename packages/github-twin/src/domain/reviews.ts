import type { PullIssue, Review, ReviewComment, User } from '../store/rows.js';
import { born, type InRepo, stampOf, type World } from '../world/world.js';
import { findPull, inThread, isVisible, touch } from './issues.js';

export type NewReview = Pick<Review, 'body' | 'state' | 'commitId'> & { user: User };
export type NewReviewComment = Pick<ReviewComment, 'body' | 'place' | 'inReplyToId'>;

export function addReview(world: World, issue: PullIssue, { user, ...review }: NewReview): Review {
  return world.store.reviews.put({
    ...born(world),
    repoId: issue.repoId,
    number: issue.number,
    userId: user.id,
    ...review,
    submittedAt: review.state === 'PENDING' ? null : stampOf(world),
  });
}

/** True if the user has a pending review. GitHub then rejects other reviews and review comments by this user. */
export function hasPendingReview(world: World, issue: PullIssue, user: User): boolean {
  return world.store.reviews
    .filter(inThread(issue))
    .some((row) => row.state === 'PENDING' && row.userId === user.id);
}

export function addReviewComment(world: World, review: Review, comment: NewReviewComment): ReviewComment {
  const { repoId, number, userId, id: reviewId } = review;
  const row = { ...born(world), repoId, number, userId, reviewId, ...comment };
  return world.store.reviewComments.put({ ...row, resolvedById: null, deleted: false });
}

/** Removes the review's author from the requested reviewers and updates the pull request. */
export function noteSubmitted(where: InRepo, review: Review): void {
  const issue = findPull(where, review.number);
  const reviewerIds = issue.pull.reviewerIds.filter((id) => id !== review.userId);
  noteReviewed(where.world, { ...issue, pull: { ...issue.pull, reviewerIds } });
}

/** Stores a pull request after a change to its reviews. */
export function noteReviewed(world: World, issue: PullIssue): void {
  if (world.quirks.reviewsMovePull) touch(world, issue);
  else world.store.issues.put(issue);
}

/** Lists the review comments that the viewer can see. Only the author sees the comments of a pending review. */
export function listReviewComments(where: InRepo, viewer: User): ReviewComment[] {
  const { store } = where.world;
  const visible = isVisible(where);
  return store.reviewComments.filter(
    (row) => visible(row) && !row.deleted && canSee(store.reviews.get(row.reviewId), viewer),
  );
}

/** Removes a comment. If a thread's first comment is removed, the thread remains until its last reply is deleted. */
export function removeReviewComment({ store }: World, comment: ReviewComment): void {
  const rootId = comment.inReplyToId ?? comment.id;
  const replies = store.reviewComments.filter((row) => row.inReplyToId === rootId && row.id !== comment.id);
  const root = store.reviewComments.get(rootId);
  if (comment.id === rootId && replies.length > 0) store.reviewComments.put({ ...comment, deleted: true });
  else store.reviewComments.remove(comment.id);
  if (root?.deleted && replies.length === 0) store.reviewComments.remove(rootId);
}

export function canSee(review: Review | undefined, viewer: User): boolean {
  return review !== undefined && (review.state !== 'PENDING' || review.userId === viewer.id);
}
