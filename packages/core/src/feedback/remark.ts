import type { CheckSource } from '../ci/check-run.js';
import type { Account } from '../decide-intake.js';

export const EVENT_KINDS = ['review', 'issue', 'review_summary', 'ci'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const REVIEW_STATES = ['approved', 'changes_requested', 'commented', 'dismissed'] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/** One thing that somebody said on a pull request or an issue, as it was when we read it. */
export type Remark = {
  kind: EventKind;
  commentId: number;
  /** The number of the issue or pull request it stands on. */
  thread: number;
  body: string;
  author: Account;
  /** How GitHub relates the author to the repository; absent on what was recorded before it was read. */
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
  /** The commit that a failed check was about. */
  headSha?: string;
  check?: { source: CheckSource; attempt: number };
};

export function buildEventKey({ thread, kind, commentId, updatedAt }: Remark): string {
  return `${thread}:${kind}:${commentId}:${updatedAt}`;
}

/** Replies to a reply stand in the thread of its first comment, as on GitHub. */
export function threadRootOf({ commentId, inReplyToId }: Pick<Remark, 'commentId' | 'inReplyToId'>): number {
  return inReplyToId ?? commentId;
}
