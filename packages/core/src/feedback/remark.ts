import type { CheckSource } from '../ci/check-run.js';
import type { Account } from '../runs/decide-intake.js';

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

/**
 * The time of a remark in milliseconds, or undefined. `updatedAt` is part of the event's key: for a check or a conflict it
 * names the commit, and an edit within the same second adds `+digest` to the time.
 */
export function readRemarkTime({
  updatedAt,
  createdAt,
}: Pick<Remark, 'updatedAt' | 'createdAt'>): number | undefined {
  return [updatedAt.split('+')[0] ?? '', createdAt].map(toTime).find((time) => time !== undefined);
}

function toTime(text: string): number | undefined {
  return /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)) ? Date.parse(text) : undefined;
}
