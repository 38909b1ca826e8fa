import { z } from 'zod';
import { Association, Author, LastNumber } from './issue-models.js';
import { orNull, row, text } from './row.js';

/**
 * A review comment. A comment on an outdated line has only `originalLine`; a comment on a whole file has neither line.
 * `inReplyToId` is the first comment of the thread, never a reply.
 */
export const ReviewComment = row({
  id: ['id', z.int()],
  pullNumber: ['pull_request_url', LastNumber],
  body: ['body', text],
  author: ['user', Author],
  association: ['author_association', Association],
  path: ['path', z.string()],
  /** The first line of a range that ends at `line`. */
  startLine: ['start_line', orNull(z.int())],
  /** The side of the diff on which the range starts; null for a single line. */
  startSide: ['start_side', orNull(z.enum(['LEFT', 'RIGHT']))],
  line: ['line', orNull(z.int())],
  originalStartLine: ['original_start_line', orNull(z.int())],
  originalLine: ['original_line', orNull(z.int())],
  side: ['side', orNull(z.enum(['LEFT', 'RIGHT'])).transform((side) => side ?? 'RIGHT')],
  diffHunk: ['diff_hunk', orNull(z.string())],
  inReplyToId: ['in_reply_to_id', orNull(z.int())],
  reviewId: ['pull_request_review_id', orNull(z.int())],
  commitId: ['commit_id', z.string()],
  originalCommitId: ['original_commit_id', orNull(z.string())],
  url: ['html_url', z.string()],
  createdAt: ['created_at', z.string()],
  updatedAt: ['updated_at', z.string()],
});
export type ReviewComment = z.infer<typeof ReviewComment>;

const STATES = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
  DISMISSED: 'dismissed',
  PENDING: 'pending',
} as const;
const ReviewState = z
  .enum(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING'])
  .transform((state) => STATES[state]);

/** GitHub creates a review with an empty body for every single line comment and every reply. */
export const Review = row({
  id: ['id', z.int()],
  body: ['body', text],
  author: ['user', Author],
  association: ['author_association', Association],
  state: ['state', ReviewState],
  commitId: ['commit_id', orNull(z.string())],
  submittedAt: ['submitted_at', orNull(z.string())],
  url: ['html_url', z.string()],
});
export type Review = z.infer<typeof Review>;
