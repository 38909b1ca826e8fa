import { z } from 'zod';
import { notFound, unprocessable } from '../../basics/api-error.js';
import { type OffDiff, placeComment, UNSUPPORTED_PLACES } from '../../domain/place-comment.js';
import {
  addReview,
  addReviewComment,
  canSee,
  hasPendingReview,
  noteSubmitted,
} from '../../domain/reviews.js';
import { checkBodyText, checkLength } from '../../domain/texts.js';
import { type Answer, numberParam, ok, readBody, refuseUnsupportedFields } from '../../rest/call.js';
import { listPage } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { type Place, type Review, Side } from '../../store/review-rows.js';
import type { PullIssue } from '../../store/rows.js';
import { viewReview, viewReviewComment } from '../../views/review.js';
import { pullOf } from '../pulls/pulls.js';

export const Event = z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']);
export type Event = z.infer<typeof Event>;
export const STATE_OF = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
} as const;

export const reviewRoutes = [
  repoRoute('GET', '/pulls/{pull_number}/reviews', 'read', (call) => {
    const issue = pullOf(call);
    const rows = reviewsOf(call, issue).filter((review) => canSee(review, call.user));
    return listPage(call, rows, (review) => viewReview(call, call.repo, issue, review));
  }),
  repoRoute('POST', '/pulls/{pull_number}/reviews', 'read', createReview),
  repoRoute('GET', '/pulls/{pull_number}/reviews/{review_id}/comments', 'read', (call) => {
    const review = reviewOf(call);
    const rows = call.world.store.reviewComments.filter((row) => row.reviewId === review.id && !row.deleted);
    return listPage(call, rows, (row) => viewReviewComment(call, call.repo, row));
  }),
];

function reviewsOf(call: RepoCall, issue: PullIssue): Review[] {
  return call.world.store.reviews.filter((row) => row.repoId === call.repo.id && row.number === issue.number);
}

export function reviewOf(call: RepoCall): Review {
  const review = call.world.store.reviews.get(numberParam(call, 'review_id'));
  const here = review?.repoId === call.repo.id && review.number === pullOf(call).number;
  if (!review || !here || !canSee(review, call.user)) throw notFound();
  return review;
}

const Inline = z.looseObject({
  path: z.string(),
  body: z.string(),
  line: z.number().optional(),
  side: Side.optional(),
});

async function createReview(call: RepoCall): Promise<Answer> {
  const { world, repo, user } = call;
  const body = readBody(call, {
    commit_id: z.string().optional(),
    body: z.string().optional(),
    event: Event.optional(),
    comments: z.array(Inline).default([]),
  });
  const issue = pullOf(call);
  const text = checkLength('PullRequestReview', body.body ?? '');
  checkEvent(call, issue, { event: body.event, text, comments: body.comments.length });
  const commitId = body.commit_id ?? issue.pull.headSha;
  // All places are found before anything is stored: a review with one bad line fails whole.
  const places = await Promise.all(body.comments.map((comment) => place(call, issue, commitId, comment)));
  if (hasPendingReview(world, issue, user))
    throw unprocessable('User can only have one pending review per pull request');
  const state = body.event === undefined ? 'PENDING' : STATE_OF[body.event];
  const review = addReview(world, issue, user, { body: text, state, commitId });
  for (const [index, comment] of body.comments.entries()) {
    const at = places[index];
    if (at) addReviewComment(world, review, { body: comment.body, place: at, inReplyToId: null });
  }
  if (state !== 'PENDING') noteSubmitted(world, repo, review);
  return ok(viewReview(call, repo, issue, review));
}

async function place(
  call: RepoCall,
  issue: PullIssue,
  commitId: string,
  comment: z.infer<typeof Inline>,
): Promise<Place> {
  checkBodyText('PullRequestReviewComment', comment.body);
  refuseUnsupportedFields(comment, UNSUPPORTED_PLACES);
  const { path, line, side } = comment;
  if (line === undefined) throw unprocessable(OFF_DIFF.line);
  const placed = await placeComment(call.world, call.repo, issue, { path, line, side, commitId });
  if (placed.kind === 'placed') return placed.place;
  throw unprocessable(OFF_DIFF[placed.what]);
}

const OFF_DIFF: Record<OffDiff, string> = {
  commit: 'Commit could not be resolved',
  path: 'Path could not be resolved',
  line: 'Line could not be resolved',
};

/** What GitHub asks of a review before it is handed in. */
export function checkEvent(
  call: RepoCall,
  issue: PullIssue,
  { event, text, comments }: { event: Event | undefined; text: string; comments: number },
): void {
  if (event === undefined) return;
  const own = issue.userId === call.user.id;
  if (own && event === 'APPROVE') throw unprocessable('Can not approve your own pull request');
  if (own && event === 'REQUEST_CHANGES')
    throw unprocessable('Can not request changes on your own pull request');
  const empty = text.trim() === '';
  if (empty && (event === 'REQUEST_CHANGES' || (event === 'COMMENT' && comments === 0)))
    throw unprocessable(`Review body can't be blank when event is ${event}`);
}
