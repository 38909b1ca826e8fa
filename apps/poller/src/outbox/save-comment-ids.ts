import type { Redact } from '@mergexo/core/text';
import type { Turn } from '@mergexo/core/turns';
import type { ReviewComment } from '@mergexo/github';
import type { State } from '@mergexo/state';
import { readReview } from '../lifecycle/review/read-review.js';
import { renderPost } from './posts/review-posts.js';

/** Saves the id of each finding's comment on GitHub, so that fixes reply in its thread. Requires a transaction. */
export function saveCommentIds(
  { state, now, redact }: { state: State; now: () => number; redact: Redact },
  turn: Turn,
  comments: readonly ReviewComment[],
): void {
  const review = readReview(state, turn);
  const remoteId = review?.round?.remoteId ?? null;
  if (review === undefined || turn.prNumber === null || remoteId === null) return;
  const posted = comments.filter((comment) => comment.reviewId === remoteId && comment.inReplyToId === null);
  const findings = state.listReviewFindings(turn.repoId, turn.prNumber);
  const rendered = renderPost({ redact }, review).comments;
  const taken = new Set<number>();
  for (const [index, { fingerprint, path, line }] of review.placement.inline.entries()) {
    const body = rendered[index]?.body ?? '';
    const there = posted.filter(
      (comment) =>
        comment.path === path && (comment.originalLine ?? comment.line) === line && !taken.has(comment.id),
    );
    // Two findings may share a line, so the text decides. After an edit, the first comment on the line counts.
    const comment = there.find((candidate) => isSame(candidate.body, body)) ?? there[0];
    const finding = findings.find((stored) => stored.fingerprint === fingerprint);
    if (comment === undefined || finding === undefined) continue;
    taken.add(comment.id);
    state.saveFindingRemoteId(finding.id, comment.id, now());
  }
}

function isSame(a: string, b: string): boolean {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n').trimEnd();
  return plain(a) === plain(b);
}
