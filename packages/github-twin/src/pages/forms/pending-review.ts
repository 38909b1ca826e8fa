import { notFound, unprocessable } from '../../basics/api-error.js';
import { placeComment, type WantedPlace } from '../../domain/place-comment.js';
import { addReviewComment } from '../../domain/reviews.js';
import { checkBodyText } from '../../domain/texts.js';
import type { Review, ReviewComment } from '../../store/review-rows.js';
import type { PullIssue } from '../../store/rows.js';
import type { RepoPageContext } from '../visit/page-context.js';

export type Addition = { body: string; at: WantedPlace | { replyTo: number } };

/** GitHub's REST API cannot add to a review that was begun; its pages can, by the rules of every comment. */
export async function addToPending(
  context: RepoPageContext,
  issue: PullIssue,
  review: Review,
  addition: Addition,
): Promise<ReviewComment> {
  const { world, repo } = context;
  const body = checkBodyText('PullRequestReviewComment', addition.body);
  if ('replyTo' in addition.at) {
    const parent = world.store.reviewComments.get(addition.at.replyTo);
    if (parent?.repoId !== repo.id || parent.number !== issue.number) throw notFound();
    const inReplyToId = parent.inReplyToId ?? parent.id;
    return addReviewComment(world, review, { body, place: parent.place, inReplyToId });
  }
  const placed = await placeComment(world, repo, issue, addition.at);
  if (placed.kind === 'off-diff') throw unprocessable('Line could not be resolved');
  if (world.store.reviews.get(review.id)?.state !== 'PENDING')
    throw unprocessable('The review was submitted in the meantime');
  return addReviewComment(world, review, { body, place: placed.place, inReplyToId: null });
}
