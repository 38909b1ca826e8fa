import { findPull } from '../domain/issues.js';
import { locateComment } from '../domain/place-comment.js';
import type { Lens } from '../http/call.js';
import type { Review, ReviewComment } from '../store/review-rows.js';
import type { PullIssue, Repo } from '../store/rows.js';
import { issuePage, viewAssociation, viewReactions } from './issue.js';
import { repoUrl } from './repo.js';
import { nodeId, viewUserOf } from './user.js';

export function viewReview(lens: Lens, repo: Repo, issue: PullIssue, review: Review) {
  const page = `${issuePage(lens, repo, issue)}#pullrequestreview-${review.id}`;
  const pull = `${repoUrl(lens, repo)}/pulls/${issue.number}`;
  return {
    id: review.id,
    node_id: nodeId('PRR', review.id),
    user: viewUserOf(lens, review.userId),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pull,
    author_association: viewAssociation(lens, repo, review.userId),
    _links: { html: { href: page }, pull_request: { href: pull } },
    ...(review.submittedAt !== null && { submitted_at: review.submittedAt }),
    commit_id: review.commitId,
  };
}

export async function viewReviewComment(lens: Lens, repo: Repo, comment: ReviewComment) {
  const issue = findPull(lens.world, repo, comment.number);
  const url = `${repoUrl(lens, repo)}/pulls/comments/${comment.id}`;
  const pull = `${repoUrl(lens, repo)}/pulls/${issue.number}`;
  const page = `${issuePage(lens, repo, issue)}#discussion_r${comment.id}`;
  const { place } = comment;
  const now = await locateComment(lens.world, repo, issue, place);
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PRRC', comment.id),
    diff_hunk: place.diffHunk,
    path: place.path,
    commit_id: now.commitId,
    original_commit_id: place.commitId,
    user: viewUserOf(lens, comment.userId),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: page,
    pull_request_url: pull,
    author_association: viewAssociation(lens, repo, comment.userId),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pull } },
    reactions: viewReactions(url),
    start_line: null,
    original_start_line: null,
    start_side: null,
    line: now.line,
    original_line: place.line,
    side: place.side,
    ...(comment.inReplyToId !== null && { in_reply_to_id: comment.inReplyToId }),
    original_position: place.position,
    position: now.position,
    subject_type: 'line',
  };
}
