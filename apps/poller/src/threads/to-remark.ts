import { createHash } from 'node:crypto';
import type { Remark } from '@mergexo/core/feedback';
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

/** Undefined for a review that is not submitted. */
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
 * As something new to us, or undefined. GitHub's times are of a second, and reviews do not tell when they were edited, so
 * another text of the same time gets a time of its own; a text older than the one that we know comes from a stale list.
 */
export function asNewRemark(remark: Remark, last: Remark | undefined): Remark | undefined {
  if (last === undefined) return remark;
  const [known = ''] = last.updatedAt.split('+');
  if (last.body === remark.body || remark.updatedAt < known) return undefined;
  return remark.updatedAt === known
    ? { ...remark, updatedAt: sameTimeKey(remark.updatedAt, remark.body) }
    : remark;
}

/** Tells two texts of the same time apart. */
export function sameTimeKey(key: string, body: string): string {
  return `${key}+${digest(body)}`;
}

/** Of two comments that carry the same marker, only the first can be ours. */
export function oldestFirst<Row extends { id: number }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => a.id - b.id);
}

function digest(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 8);
}
