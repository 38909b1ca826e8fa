import { findPull } from '../domain/issues.js';
import { locateComment } from '../domain/place-comment.js';
import type { Review, ReviewComment } from '../store/rows.js';
import type { RepoView } from '../world/world.js';
import { issuePage, viewAssociation } from './issue.js';
import { viewRollup } from './reaction.js';
import { repoUrl } from './repo.js';
import { viewFields, viewUserOf } from './user.js';

export function viewReview(context: RepoView, review: Review) {
  const issue = findPull(context, review.number);
  const page = `${issuePage(context, issue)}#pullrequestreview-${review.id}`;
  const pull = `${repoUrl(context)}/pulls/${issue.number}`;
  return {
    ...viewFields('PRR', review, ['body', 'state', 'commitId']),
    user: viewUserOf(context, review.userId),
    html_url: page,
    pull_request_url: pull,
    author_association: viewAssociation(context, review.userId),
    _links: { html: { href: page }, pull_request: { href: pull } },
    ...(review.submittedAt !== null && { submitted_at: review.submittedAt }),
  };
}

export async function viewReviewComment(context: RepoView, comment: ReviewComment) {
  const issue = findPull(context, comment.number);
  const url = `${repoUrl(context)}/pulls/comments/${comment.id}`;
  const pull = `${repoUrl(context)}/pulls/${issue.number}`;
  const page = `${issuePage(context, issue)}#discussion_r${comment.id}`;
  const { place } = comment;
  const now = await locateComment(context, issue, place);
  return {
    ...viewFields('PRRC', comment, ['body', 'createdAt', 'updatedAt']),
    url,
    pull_request_review_id: comment.reviewId,
    diff_hunk: place.diffHunk,
    path: place.path,
    commit_id: now.commitId,
    original_commit_id: place.commitId,
    user: viewUserOf(context, comment.userId),
    html_url: page,
    pull_request_url: pull,
    author_association: viewAssociation(context, comment.userId),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pull } },
    start_line: now.startLine,
    original_start_line: place.startLine,
    start_side: place.startSide,
    line: now.line,
    original_line: place.line,
    side: place.side,
    ...(comment.inReplyToId !== null && { in_reply_to_id: comment.inReplyToId }),
    original_position: place.position,
    position: now.position,
    subject_type: 'line',
    reactions: viewRollup(context, url, { subject: 'reviewComment', subjectId: comment.id }),
  };
}

const ONLY_SINGLE = new Set([
  'line',
  'original_line',
  'start_line',
  'original_start_line',
  'side',
  'start_side',
  'subject_type',
]);

/** Renders a row in the list of one review's comments, which lacks these fields. */
export async function viewCommentOfReview(context: RepoView, comment: ReviewComment) {
  const fields = Object.entries(await viewReviewComment(context, comment));
  return Object.fromEntries(fields.filter(([name]) => !ONLY_SINGLE.has(name)));
}
