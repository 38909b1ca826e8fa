import { addTextDigest, type Remark, readGitHubTime } from '@mergexo/core/feedback';
import type { IssueComment, Review, ReviewComment } from '@mergexo/github';

/** Fields of a remark that is not about a line and belongs to no review. */
export const NO_LOCATION = {
  path: null,
  line: null,
  side: null,
  inReplyToId: null,
  reviewId: null,
  reviewState: null,
};

export function toRemark({ id, thread, ...comment }: IssueComment): Remark {
  const { body, author, association, url, createdAt, updatedAt } = comment;
  const said = { body, author, association, url, createdAt, updatedAt };
  return { ...NO_LOCATION, kind: 'issue', commentId: id, thread, ...said };
}

export function toLineRemark(comment: ReviewComment): Remark {
  const { id, pullNumber, body, author, association, url, createdAt, updatedAt, path, side } = comment;
  const { inReplyToId, reviewId } = comment;
  const line = comment.line ?? comment.originalLine;
  return {
    kind: 'review',
    commentId: id,
    thread: pullNumber,
    body,
    author,
    association,
    url,
    createdAt,
    updatedAt,
    path,
    line,
    side,
    inReplyToId,
    reviewId,
    reviewState: null,
  };
}

/** Converts a review. Returns undefined if the review has not been submitted. */
export function toReviewRemark(review: Review, thread: number): Remark | undefined {
  const { id, body, author, association, url, state, submittedAt } = review;
  if (state === 'pending' || submittedAt === null) return undefined;
  return {
    ...NO_LOCATION,
    kind: 'review_summary',
    commentId: id,
    thread,
    body,
    author,
    association,
    url,
    createdAt: submittedAt,
    updatedAt: submittedAt,
    reviewId: id,
    reviewState: state,
  };
}

/**
 * Returns the remark if it is new or edited, otherwise undefined. GitHub's timestamps are in whole seconds, and reviews
 * have no edit time. An edited text with an unchanged timestamp therefore gets a unique timestamp. A remark with an
 * older timestamp comes from a stale list and is ignored.
 */
export function asNewRemark(remark: Remark, last: Remark | undefined): Remark | undefined {
  if (last === undefined) return remark;
  const known = readGitHubTime(last);
  if (last.body === remark.body || remark.updatedAt < known) return undefined;
  return remark.updatedAt === known
    ? { ...remark, updatedAt: addTextDigest(remark.updatedAt, remark.body) }
    : remark;
}

/**
 * True if somebody changed the text. GitHub also changes the timestamp of a line comment when its review is submitted,
 * so a line comment counts as edited only if an earlier text is on record.
 */
export function isEdited({ kind, createdAt, updatedAt }: Remark, last: unknown): boolean {
  return last !== undefined || (kind === 'issue' && updatedAt !== createdAt);
}

/** Sorts rows, oldest first. Of several comments with the same token, only the oldest can be ours. */
export function oldestFirst<Row extends { id: number }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => a.id - b.id);
}
