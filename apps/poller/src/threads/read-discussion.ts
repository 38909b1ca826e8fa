import { type Remark, readGitHubTime, threadRootOf } from '@mergexo/core/feedback';
import { buildDiscussion, type Discussion, type DiscussionEntry, toRole } from '@mergexo/core/turns';
import type { Pull, State } from '@mergexo/state';
import type { Repo } from '../tools.js';
import type { Snapshot } from './list-pull.js';
import { readIssueComments, withoutCommands } from './select-issue-comments.js';
import { selectPeople } from './select-trusted.js';
import { toLineRemark, toRemark, toReviewRemark } from './to-remark.js';

type Seen = {
  pull: Pull;
  snapshot: Pick<Snapshot, 'conversation' | 'reviewComments' | 'reviews'>;
  /** Comments in resolved threads. */
  resolved: ReadonlyMap<number, unknown>;
};

/** Returns the comments by allowed people on the pull request and its issue, without commands. */
export function readDiscussion(tools: { state: State }, repo: Repo, seen: Seen): Discussion {
  const { pull, snapshot, resolved } = seen;
  const isByPeople = selectPeople(tools, repo, pull);
  const onPull = [
    ...snapshot.conversation.map(toRemark),
    ...snapshot.reviewComments.map(toLineRemark),
    ...snapshot.reviews.flatMap((review) => toReviewRemark(review, pull.prNumber) ?? []),
  ].filter(({ kind, commentId }) => isByPeople(kind, commentId));
  return buildDiscussion([
    ...readIssueComments(tools, repo, pull.issueNumber).map((remark) => toEntry(remark, 'issue', resolved)),
    ...onPull.map((remark) => toEntry(remark, PLACES[remark.kind], resolved)),
  ]);
}

const PLACES = {
  issue: 'conversation',
  review: 'line',
  review_summary: 'review',
  ci: 'conversation',
} as const;

function toEntry(
  remark: Remark,
  place: DiscussionEntry['place'],
  resolved: ReadonlyMap<number, unknown>,
): DiscussionEntry {
  const { kind, commentId: id, author, association, body, url, createdAt, path, line, reviewState } = remark;
  return {
    place,
    id,
    author: author.login,
    ...toRole(association),
    body: withoutCommands(body),
    createdAt,
    updatedAt: readGitHubTime(remark),
    url,
    threadId: kind === 'review' ? threadRootOf(remark) : null,
    path,
    line,
    isResolved: resolved.has(id),
    reviewState,
  };
}
