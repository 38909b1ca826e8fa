import { findPull } from '../domain/issues.js';
import { locateComment } from '../domain/place-comment.js';
import type { Review, ReviewComment } from '../store/review-rows.js';
import type { PullIssue, Repo } from '../store/rows.js';
import type { ViewContext } from '../world/world.js';
import { issuePage, viewAssociation, viewReactions } from './issue.js';
import { repoUrl } from './repo.js';
import { nodeId, viewUserOf } from './user.js';

export function viewReview(context: ViewContext, repo: Repo, issue: PullIssue, review: Review) {
  const page = `${issuePage(context, repo, issue)}#pullrequestreview-${review.id}`;
  const pull = `${repoUrl(context, repo)}/pulls/${issue.number}`;
  return {
    id: review.id,
    node_id: nodeId('PRR', review.id),
    user: viewUserOf(context, review.userId),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pull,
    author_association: viewAssociation(context, repo, review.userId),
    _links: { html: { href: page }, pull_request: { href: pull } },
    ...(review.submittedAt !== null && { submitted_at: review.submittedAt }),
    commit_id: review.commitId,
  };
}

export async function viewReviewComment(context: ViewContext, repo: Repo, comment: ReviewComment) {
  const issue = findPull(context.world, repo, comment.number);
  const url = `${repoUrl(context, repo)}/pulls/comments/${comment.id}`;
  const pull = `${repoUrl(context, repo)}/pulls/${issue.number}`;
  const page = `${issuePage(context, repo, issue)}#discussion_r${comment.id}`;
  const { place } = comment;
  const now = await locateComment(context.world, repo, issue, place);
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PRRC', comment.id),
    diff_hunk: place.diffHunk,
    path: place.path,
    commit_id: now.commitId,
    original_commit_id: place.commitId,
    user: viewUserOf(context, comment.userId),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: page,
    pull_request_url: pull,
    author_association: viewAssociation(context, repo, comment.userId),
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
