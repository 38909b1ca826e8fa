import type { Place, Review, ReviewComment } from '../store/review-rows.js';
import type { PullIssue, Repo, User } from '../store/rows.js';
import type { World } from '../world/world.js';
import { findPull, touch } from './issues.js';

export type NewReview = Pick<Review, 'body' | 'state' | 'commitId'>;
export type NewReviewComment = { body: string; place: Place; inReplyToId: number | null };

export function addReview(world: World, issue: PullIssue, user: User, review: NewReview): Review {
  return world.store.reviews.put({
    id: world.store.nextId(),
    repoId: issue.repoId,
    number: issue.number,
    userId: user.id,
    ...review,
    submittedAt: review.state === 'PENDING' ? null : world.stamp(),
    bornMs: world.clock.now(),
  });
}

/** While it is there, its author can add nothing else to the pull request's reviews. */
export function hasPendingReview(world: World, issue: PullIssue, user: User): boolean {
  return world.store.reviews
    .filter((row) => row.repoId === issue.repoId && row.number === issue.number)
    .some((row) => row.state === 'PENDING' && row.userId === user.id);
}

export function addReviewComment(world: World, review: Review, comment: NewReviewComment): ReviewComment {
  const now = world.stamp();
  return world.store.reviewComments.put({
    id: world.store.nextId(),
    repoId: review.repoId,
    number: review.number,
    reviewId: review.id,
    userId: review.userId,
    ...comment,
    resolvedById: null,
    deleted: false,
    createdAt: now,
    updatedAt: now,
    bornMs: world.clock.now(),
  });
}

/** A review that was handed in: its author is no longer asked for one, and the pull request is news. */
export function noteSubmitted(world: World, repo: Repo, review: Review): void {
  const issue = findPull(world, repo, review.number);
  const reviewerIds = issue.pull.reviewerIds.filter((id) => id !== review.userId);
  noteReviewed(world, { ...issue, pull: { ...issue.pull, reviewerIds } });
}

/** Stores a pull request after something happened to its reviews. */
export function noteReviewed(world: World, issue: PullIssue): void {
  if (world.quirks.reviewsMovePull) touch(world, issue);
  else world.store.issues.put(issue);
}

/** Comments of a pending review are a secret between its author and GitHub. */
export function listReviewComments(world: World, repo: Repo, viewer: User): ReviewComment[] {
  const hidden = new Set(
    world.store.issues.filter((row) => row.repoId === repo.id && row.deleted).map((row) => row.number),
  );
  return world.store.reviewComments.filter(
    (row) =>
      row.repoId === repo.id &&
      !row.deleted &&
      !hidden.has(row.number) &&
      canSee(world.store.reviews.get(row.reviewId), viewer),
  );
}

/** A thread outlives its first comment; only with its last one it is gone. */
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
