import { addTextDigest, type Remark, readGitHubTime } from '@mergexo/core/feedback';
import type { IssueComment, Review, ReviewComment } from '@mergexo/github';

/** Fields of a remark that is not about a line and belongs to no review. */
export const NOWHERE = {
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
  return { ...NOWHERE, kind: 'issue', commentId: id, thread, ...said };
}

export function lineRemark(comment: ReviewComment): Remark {
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

/** Converts a review. Undefined if the review has not been submitted. */
export function reviewRemark(review: Review, thread: number): Remark | undefined {
  const { id, body, author, association, url, state, submittedAt } = review;
  if (state === 'pending' || submittedAt === null) return undefined;
  return {
    ...NOWHERE,
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
 * Returns the remark if it is new or edited, otherwise undefined. GitHub's times have whole seconds and reviews have no
 * edit time, so a changed text with an unchanged time gets a unique time. An older time means a stale list.
 */
export function asNewRemark(remark: Remark, last: Remark | undefined): Remark | undefined {
  if (last === undefined) return remark;
  const known = readGitHubTime(last);
  if (last.body === remark.body || remark.updatedAt < known) return undefined;
  return remark.updatedAt === known
    ? { ...remark, updatedAt: addTextDigest(remark.updatedAt, remark.body) }
    : remark;
}

/** Sorts rows, oldest first. Of several comments with the same token, only the oldest can be ours. */
export function oldestFirst<Row extends { id: number }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => a.id - b.id);
}
