import type { CheckSource } from '../ci/check-run.js';
import type { Account } from '../runs/account.js';

export const EVENT_KINDS = ['review', 'issue', 'review_summary', 'ci'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const REVIEW_STATES = ['approved', 'changes_requested', 'commented', 'dismissed'] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/** A comment, review or signal on a pull request or an issue, as it was when MergeXO read it. */
export type Remark = {
  kind: EventKind;
  commentId: number;
  /** The number of the issue or pull request. */
  thread: number;
  body: string;
  author: Account;
  /** The author's association with the repository; absent on old rows, which did not store it. */
  association?: string;
  url: string;
  createdAt: string;
  updatedAt: string;
  path: string | null;
  line: number | null;
  side: string | null;
  inReplyToId: number | null;
  reviewId: number | null;
  reviewState: ReviewState | null;
  /** The commit of a failed check. */
  headSha?: string;
  check?: { source: CheckSource; attempt: number };
  /** The log of a failed check, without timestamps and colors. */
  log?: string;
  /** True if the beginning of the log is missing. */
  isLogCut?: boolean;
};

/**
 * Returns the first comment of the thread. On GitHub, a reply to a reply belongs to the thread of the first comment.
 */
export function threadRootOf({ commentId, inReplyToId }: Pick<Remark, 'commentId' | 'inReplyToId'>): number {
  return inReplyToId ?? commentId;
}
