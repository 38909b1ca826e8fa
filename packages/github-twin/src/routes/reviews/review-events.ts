import { z } from 'zod';
import { forbidden, unprocessable } from '../../basics/api-error.js';
import { noteReviewed, noteSubmitted } from '../../domain/reviews.js';
import { ok, readBody } from '../../rest/call.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { viewReview } from '../../views/review.js';
import { pullOf } from '../pulls/pulls.js';
import { checkEvent, Event, reviewOf, STATE_OF } from './reviews.js';

const one = '/pulls/{pull_number}/reviews/{review_id}';

export const reviewEventRoutes = [
  repoRoute('PUT', one, 'read', (call) => {
    const review = reviewOf(call);
    if (review.userId !== call.user.id) throw forbidden('Must be the author of the review.');
    const { body } = readBody(call, { body: z.string() });
    return viewChanged(call, { ...review, body });
  }),
  repoRoute('POST', `${one}/events`, 'read', submit),
  repoRoute('PUT', `${one}/dismissals`, 'write', (call) => {
    const review = reviewOf(call);
    if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED')
      throw unprocessable(`Can not dismiss a ${review.state.toLowerCase()} pull request review`);
    readBody(call, { message: z.string().min(1) });
    const answer = viewChanged(call, { ...review, state: 'DISMISSED' });
    noteReviewed(call.world, pullOf(call));
    return answer;
  }),
];

function submit(call: RepoCall) {
  const { world } = call;
  const review = reviewOf(call);
  const body = readBody(call, { body: z.string().optional(), event: Event });
  if (review.state !== 'PENDING' || review.userId !== call.user.id)
    throw unprocessable('Can not submit a review that is not pending');
  const comments = world.store.reviewComments.filter((row) => row.reviewId === review.id).length;
  const text = body.body ?? review.body;
  checkEvent(call, pullOf(call), { event: body.event, text, comments });
  const submitted = {
    ...review,
    body: text,
    state: STATE_OF[body.event],
    submittedAt: world.stamp(),
    bornMs: world.clock.now(),
  };
  const answer = viewChanged(call, submitted);
  const published = { bornMs: world.clock.now(), updatedAt: world.stamp() };
  for (const comment of world.store.reviewComments.filter((row) => row.reviewId === review.id))
    world.store.reviewComments.put({ ...comment, ...published });
  noteSubmitted(world, call.repo, submitted);
  return answer;
}

function viewChanged(call: RepoCall, review: Parameters<typeof viewReview>[3]) {
  call.world.store.reviews.put(review);
  return ok(viewReview(call, call.repo, pullOf(call), review));
}
