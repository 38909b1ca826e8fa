import { z } from 'zod';
import { Association, Author } from './issue-models.js';

/**
 * A comment on a line. An outdated one has no `line` any more, only its `originalLine`; one on a whole file has neither.
 * `inReplyToId` is the first comment of the thread, never a reply.
 */
export const ReviewComment = z
  .object({
    id: z.int(),
    body: z.string().nullish(),
    user: Author,
    author_association: Association,
    path: z.string(),
    line: z.int().nullish(),
    original_line: z.int().nullish(),
    side: z.enum(['LEFT', 'RIGHT']).nullish(),
    diff_hunk: z.string().nullish(),
    in_reply_to_id: z.int().nullish(),
    pull_request_review_id: z.int().nullish(),
    commit_id: z.string(),
    html_url: z.string(),
    pull_request_url: z.string().regex(/\/\d+$/),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .transform((comment) => ({
    id: comment.id,
    pullNumber: Number(comment.pull_request_url.split('/').at(-1)),
    body: comment.body ?? '',
    author: comment.user,
    association: comment.author_association,
    path: comment.path,
    line: comment.line ?? null,
    originalLine: comment.original_line ?? null,
    side: comment.side ?? 'RIGHT',
    diffHunk: comment.diff_hunk ?? null,
    inReplyToId: comment.in_reply_to_id ?? null,
    reviewId: comment.pull_request_review_id ?? null,
    commitId: comment.commit_id,
    url: comment.html_url,
    createdAt: comment.created_at,
    updatedAt: comment.updated_at,
  }));
export type ReviewComment = z.infer<typeof ReviewComment>;

const ReviewState = z
  .enum(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING'])
  .transform((state) => STATES[state]);

const STATES = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
  DISMISSED: 'dismissed',
  PENDING: 'pending',
} as const;

/** Every lone review comment and every reply comes in a review of its own, with an empty body. */
export const Review = z
  .object({
    id: z.int(),
    body: z.string().nullish(),
    user: Author,
    author_association: Association,
    state: ReviewState,
    commit_id: z.string().nullish(),
    submitted_at: z.string().nullish(),
    html_url: z.string(),
  })
  .transform((review) => ({
    id: review.id,
    body: review.body ?? '',
    author: review.user,
    association: review.author_association,
    state: review.state,
    commitId: review.commit_id ?? null,
    submittedAt: review.submitted_at ?? null,
    url: review.html_url,
  }));
export type Review = z.infer<typeof Review>;
