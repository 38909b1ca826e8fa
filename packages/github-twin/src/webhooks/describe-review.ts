import { findPull } from '../domain/issues.js';
import type { Review, ReviewComment } from '../store/rows.js';
import { viewPullSimple } from '../views/pull.js';
import { viewReview, viewReviewComment } from '../views/review.js';
import { nodeId } from '../views/user.js';
import type { RepoView, World } from '../world/world.js';
import { type Announcement, announce, listChanges } from './announcement.js';
import { trackRows, type Versions } from './track-rows.js';

type Describe = (id: number) => Announcement[];

/** Describes changes to reviews. Nobody hears of a pending review. */
export function createReviewDescriber(world: World): Describe {
  const track = trackRows(world.store.reviews);
  return (id) => {
    const versions = track(id);
    const { before, after } = versions;
    const action = nameReviewAction(versions);
    if (!after || !action) return [];
    return announce(world, { event: 'pull_request_review', repoId: after.repoId }, (view) => ({
      action,
      ...(before && action === 'edited' && { changes: listChanges(before, after, ['body']) }),
      review: viewEventReview(view, after),
      pull_request: viewPullOf(view, after),
    }));
  };
}

function nameReviewAction({ before, after }: Versions<Review>): string | undefined {
  if (!after || after.state === 'PENDING') return undefined;
  if (!before || before.state === 'PENDING') return 'submitted';
  if (before.state !== after.state) return 'dismissed';
  return before.body === after.body ? undefined : 'edited';
}

/** In an event, the state is in lower case and an empty body is null. */
function viewEventReview(view: RepoView, review: Review): object {
  return { ...viewReview(view, review), state: review.state.toLowerCase(), body: review.body || null };
}

const viewPullOf = (view: RepoView, { number }: { number: number }) =>
  viewPullSimple(view, findPull(view, number));

/** Describes changes to review comments and to their threads. */
export function createReviewCommentDescriber(world: World): Describe {
  const track = trackRows(world.store.reviewComments);
  return (id) => {
    const versions = track(id);
    const { before, after } = versions;
    const row = after ?? before;
    if (!row || world.store.reviews.get(row.reviewId)?.state === 'PENDING') return [];
    const { repoId } = row;
    const resolution = nameResolution(versions);
    if (resolution)
      return announce(world, { event: 'pull_request_review_thread', repoId }, async (view) => ({
        action: resolution,
        thread: await viewThread(view, row),
        pull_request: viewPullOf(view, row),
      }));
    const action = nameCommentAction(versions);
    if (!action) return [];
    return announce(world, { event: 'pull_request_review_comment', repoId }, async (view) => ({
      action,
      ...(before && after && action === 'edited' && { changes: listChanges(before, after, ['body']) }),
      comment: await viewReviewComment(view, row),
      pull_request: viewPullOf(view, row),
    }));
  };
}

function nameResolution({ before, after }: Versions<ReviewComment>): string | undefined {
  if (!before || !after || (before.resolvedById === null) === (after.resolvedById === null)) return undefined;
  return after.resolvedById === null ? 'unresolved' : 'resolved';
}

/** The comments of a pending review become visible, with a new time, when the review is submitted. */
function nameCommentAction({ before, after }: Versions<ReviewComment>): string | undefined {
  if (!after || after.deleted) return before && !before.deleted ? 'deleted' : undefined;
  if (!before || before.createdMs !== after.createdMs) return 'created';
  return before.body === after.body ? undefined : 'edited';
}

async function viewThread(view: RepoView, root: ReviewComment): Promise<object> {
  const { reviewComments } = view.world.store;
  const rows = reviewComments.filter((row) => row.id === root.id || row.inReplyToId === root.id);
  const shown = rows.filter((row) => !row.deleted);
  return {
    node_id: nodeId('PRRT', root.id),
    comments: await Promise.all(shown.map((row) => viewReviewComment(view, row))),
  };
}
