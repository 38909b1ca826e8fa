import { createHash } from 'node:crypto';
import type { Remark } from '@mergexo/core';
import type { IssueComment, Review, ReviewComment } from '@mergexo/github';

const NOWHERE = {
  path: null,
  line: null,
  side: null,
  inReplyToId: null,
  reviewId: null,
  reviewState: null,
};

export function toRemark({ id, thread, ...comment }: IssueComment): Remark {
  const { body, author, url, createdAt, updatedAt } = comment;
  return { ...NOWHERE, kind: 'issue', commentId: id, thread, body, author, url, createdAt, updatedAt };
}

export function lineRemark(comment: ReviewComment): Remark {
  const { id, pullNumber, body, author, url, createdAt, updatedAt, path, side } = comment;
  const { inReplyToId, reviewId } = comment;
  const line = comment.line ?? comment.originalLine;
  return {
    kind: 'review',
    commentId: id,
    thread: pullNumber,
    body,
    author,
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

/**
 * Undefined for a review that is not submitted. GitHub does not say when a review's text was edited, so a text other
 * than the one that we know makes its own time of change.
 */
export function reviewRemark(
  review: Review,
  thread: number,
  lastBody: string | undefined,
): Remark | undefined {
  const { id, body, author, url, state, submittedAt } = review;
  if (state === 'pending' || submittedAt === null) return undefined;
  const isEdit = lastBody !== undefined && lastBody !== body;
  const updatedAt = isEdit ? `${submittedAt}+${digest(body)}` : submittedAt;
  return {
    ...NOWHERE,
    kind: 'review_summary',
    commentId: id,
    thread,
    body,
    author,
    url,
    createdAt: submittedAt,
    updatedAt,
    reviewId: id,
    reviewState: state,
  };
}

/** Of two comments that carry the same marker, only the first can be ours. */
export function oldestFirst<Row extends { id: number }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => a.id - b.id);
}

function digest(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 8);
}
