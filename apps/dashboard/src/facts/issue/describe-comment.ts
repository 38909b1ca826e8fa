import { readRemarkTime } from '@mergexo/core/feedback';
import { renderSkipReason } from '@mergexo/core/reasons';
import { removeResult } from '@mergexo/core/review';
import { TURN_STATE_NAMES, type Turn } from '@mergexo/core/turns';
import { type CommentStatus, type FeedbackEvent, readCommentStatus, type Snapshot } from '@mergexo/state';

export type IssueComment = ReturnType<typeof describeComment>;

const SIGNATURE_LINE = /^<!-- mergexo-(?:meta|action):.*-->$/;

/**
 * Longer than any excerpt on a page, so that redaction still recognizes a secret at the end of the excerpt. Redacting
 * whole comments of 64 KB would stall the dashboard.
 */
const MAX_BODY = 5_000;

/** Describes a comment with what MergeXO did about it. */
export function describeComment({ state }: Snapshot, event: FeedbackEvent) {
  const { prNumber: thread, kind, payload, seenAt, commentId, turnKey } = event;
  const { author, url, path, line } = payload;
  const isOurs = event.skipReason?.code === 'ours';
  const body = (isOurs ? removeResult(removeSignature(payload.body)) : payload.body).slice(0, MAX_BODY);
  const saidAt = readRemarkTime(payload) ?? seenAt;
  const status = isOurs ? 'by MergeXO' : describeCommentStatus(readCommentStatus(state, event));
  const place = path === null ? null : line === null ? path : `${path}:${line}`;
  return { thread, kind, commentId, turnKey, author: author.login, saidAt, url, body, isOurs, status, place };
}

/** Removes the signature lines of our own comments, which GitHub does not display either. */
export function removeSignature(body: string): string {
  const lines = body.trimEnd().split('\n');
  while (SIGNATURE_LINE.test(lines.at(-1)?.trim() ?? '')) lines.pop();
  return lines.join('\n').trimEnd();
}

/** Describes the state of a turn. An open or queued turn is not in progress yet. */
function describeProgress(state: Turn['state'] | null): string {
  if (state === null) return 'in progress';
  const name = TURN_STATE_NAMES[state];
  return state === 'open' || state === 'queued' ? name : `in progress (${name})`;
}

function describeCommentStatus(status: CommentStatus): string {
  switch (status.kind) {
    case 'pending':
    case 'answered':
      return status.kind;
    case 'in_progress':
      return describeProgress(status.turnState);
    case 'redirected':
      return 'redirected to the pull request';
    case 'skipped':
      return `skipped: ${renderSkipReason(status.reason)}`;
  }
}
