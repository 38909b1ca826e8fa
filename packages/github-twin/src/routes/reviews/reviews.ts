import { z } from 'zod';
import { forbidden, notFound, unprocessable } from '../../basics/api-error.js';
import { inThread } from '../../domain/issues.js';
import { type OffDiff, placeComment } from '../../domain/place-comment.js';
import * as domain from '../../domain/reviews.js';
import { checkBodyText, checkLength } from '../../domain/texts.js';
import { type Answer, ok, readBody, rowParam } from '../../rest/call.js';
import { applyLag, listPage } from '../../rest/lists.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { type Place, type PullIssue, type Review, Side } from '../../store/rows.js';
import { viewCommentOfReview, viewReview } from '../../views/review.js';
import { stampOf } from '../../world/world.js';
import { pullOf } from '../pulls/pulls.js';

const Event = z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']);
const STATE_OF = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

const all = '/pulls/{pull_number}/reviews';
const one = `${all}/{review_id}`;

export const reviewRoutes = [
  repoRoute(`GET ${all}`, (call) => {
    const { reviews } = call.world.store;
    const rows = applyLag(call, reviews, reviews.filter(inThread(pullOf(call))));
    return listPage(
      call,
      rows.filter((review) => domain.canSee(review, call.user)),
      viewReview,
    );
  }),
  repoRoute(`POST ${all}`, createReview),
  repoRoute(`GET ${one}`, (call) => ok(viewReview(call, reviewOf(call)))),
  repoRoute(`GET ${one}/comments`, (call) => {
    const rows = commentsOf(call, reviewOf(call)).filter((row) => !row.deleted);
    return listPage(call, rows, viewCommentOfReview);
  }),
  repoRoute(`PUT ${one}`, (call) => {
    const review = reviewOf(call);
    if (review.userId !== call.user.id) throw forbidden('Must be the author of the review.');
    return store(call, { ...review, ...readBody(call, { body: z.string() }) });
  }),
  repoRoute(`POST ${one}/events`, submitReview),
  repoRoute(`PUT ${one}/dismissals`, dismissReview, 'write'),
];

const commentsOf = ({ world }: RepoCall, { id }: Review) =>
  world.store.reviewComments.filter((row) => row.reviewId === id);

function reviewOf(call: RepoCall): Review {
  const review = rowParam(call, 'review_id', call.world.store.reviews);
  if (!inThread(pullOf(call))(review) || !domain.canSee(review, call.user)) throw notFound();
  return review;
}

function store(call: RepoCall, review: Review): Answer {
  return ok(viewReview(call, call.world.store.reviews.put(review)));
}

const Inline = z.strictObject({
  path: z.string(),
  body: z.string(),
  line: z.number().optional(),
  side: Side.optional(),
  start_line: z.number().optional(),
  start_side: Side.optional(),
});

async function createReview(call: RepoCall): Promise<Answer> {
  const { world, user } = call;
  const body = readBody(call, {
    commit_id: z.string().optional(),
    body: z.string().default(''),
    event: Event.optional(),
    comments: z.array(Inline).default([]),
  });
  const issue = pullOf(call);
  const text = checkLength('PullRequestReview', body.body);
  checkEvent(call, issue, { event: body.event, text, comments: body.comments.length });
  const commitId = body.commit_id ?? issue.pull.headSha;
  // All lines are located before anything is stored, so that one invalid line fails the whole review.
  const comments = await Promise.all(
    body.comments.map(async (comment) => ({
      body: checkBodyText('PullRequestReviewComment', comment.body),
      place: await place(call, commitId, comment),
      inReplyToId: null,
    })),
  );
  if (domain.hasPendingReview(world, issue, user))
    throw unprocessable('User can only have one pending review per pull request');
  const state = body.event === undefined ? 'PENDING' : STATE_OF[body.event];
  const review = domain.addReview(world, issue, { body: text, state, commitId, user });
  for (const comment of comments) domain.addReviewComment(world, review, comment);
  if (state !== 'PENDING') domain.noteSubmitted(call, review);
  return ok(viewReview(call, review));
}

const OFF_DIFF: Record<OffDiff, string> = {
  commit: 'Commit could not be resolved',
  path: 'Path could not be resolved',
  line: 'Line could not be resolved',
};

async function place(call: RepoCall, commitId: string, comment: z.infer<typeof Inline>): Promise<Place> {
  const { path, line, side, start_line: startLine, start_side: startSide } = comment;
  if (line === undefined) throw unprocessable(OFF_DIFF.line);
  const placed = await placeComment(call, pullOf(call), { path, line, startLine, startSide, side, commitId });
  if (placed.kind === 'placed') return placed.place;
  throw unprocessable(OFF_DIFF[placed.what]);
}

type Verdict = { event: z.infer<typeof Event> | undefined; text: string; comments: number };

/** Checks a review before it is submitted, as GitHub does. */
function checkEvent(call: RepoCall, issue: PullIssue, { event, text, comments }: Verdict): void {
  if (event === undefined) return;
  const own = issue.userId === call.user.id;
  if (own && event === 'APPROVE') throw unprocessable('Can not approve your own pull request');
  if (own && event === 'REQUEST_CHANGES')
    throw unprocessable('Can not request changes on your own pull request');
  const empty = text.trim() === '';
  if (empty && (event === 'REQUEST_CHANGES' || (event === 'COMMENT' && comments === 0)))
    throw unprocessable(`Review body can't be blank when event is ${event}`);
}

function submitReview(call: RepoCall) {
  const { world } = call;
  const review = reviewOf(call);
  const { body: text = review.body, event } = readBody(call, { body: z.string().optional(), event: Event });
  if (review.state !== 'PENDING' || review.userId !== call.user.id)
    throw unprocessable('Can not submit a review that is not pending');
  const comments = commentsOf(call, review);
  checkEvent(call, pullOf(call), { event, text, comments: comments.length });
  const now = { createdMs: world.clock.now(), updatedAt: stampOf(world) };
  const submitted = { ...review, ...now, body: text, state: STATE_OF[event], submittedAt: now.updatedAt };
  const answer = store(call, submitted);
  for (const comment of comments) world.store.reviewComments.put({ ...comment, ...now });
  domain.noteSubmitted(call, submitted);
  return answer;
}

function dismissReview(call: RepoCall) {
  const review = reviewOf(call);
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED')
    throw unprocessable(`Can not dismiss a ${review.state.toLowerCase()} pull request review`);
  readBody(call, { message: z.string().min(1), event: z.literal('DISMISS').optional() });
  const answer = store(call, { ...review, state: 'DISMISSED' });
  domain.noteReviewed(call.world, pullOf(call));
  return answer;
}
