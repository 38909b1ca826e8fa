import { z } from 'zod';
import { forbidden, invalid, notFound } from '../../basics/api-error.js';
import { hasPermission } from '../../domain/permissions.js';
import { type OffDiff, placeComment, UNSUPPORTED_PLACES } from '../../domain/place-comment.js';
import {
  addReview,
  addReviewComment,
  canSee,
  hasPendingReview,
  listReviewComments,
  noteSubmitted,
  removeReviewComment,
} from '../../domain/reviews.js';
import { checkBodyText } from '../../domain/texts.js';
import { created, noContent, numberParam, ok, readBody, refuseUnsupportedFields } from '../../rest/call.js';
import { listPage } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { sinceOf, sortRows } from '../../rest/sorting.js';
import { type ReviewComment, Side } from '../../store/review-rows.js';
import { viewReviewComment } from '../../views/review.js';
import { pullOf } from '../pulls/pulls.js';

const one = '/pulls/comments/{comment_id}';

export const reviewCommentRoutes = [
  repoRoute('GET', '/pulls/comments', 'read', (call) => listComments(call, () => true)),
  repoRoute('GET', one, 'read', async (call) =>
    ok(await viewReviewComment(call, call.repo, commentOf(call))),
  ),
  repoRoute('PATCH', one, 'read', async (call) => {
    const comment = editableComment(call);
    const body = checkBodyText('PullRequestReviewComment', readBody(call, { body: z.string() }).body);
    const { reviewComments } = call.world.store;
    const same = body === comment.body;
    const edited = same ? comment : reviewComments.put({ ...comment, body, updatedAt: call.world.stamp() });
    return ok(await viewReviewComment(call, call.repo, edited));
  }),
  repoRoute('DELETE', one, 'read', (call) => {
    removeReviewComment(call.world, editableComment(call));
    return noContent();
  }),
  repoRoute('GET', '/pulls/{pull_number}/comments', 'read', (call) => {
    const { number } = pullOf(call);
    return listComments(call, (row) => row.number === number);
  }),
  repoRoute('POST', '/pulls/{pull_number}/comments', 'read', createComment),
  repoRoute('POST', '/pulls/{pull_number}/comments/{comment_id}/replies', 'read', (call) =>
    reply(call, numberParam(call, 'comment_id'), readBody(call, { body: z.string() }).body),
  ),
];

function listComments(call: RepoCall, test: (row: ReviewComment) => boolean) {
  const since = sinceOf(call.query);
  const rows = listReviewComments(call.world, call.repo, call.user).filter(
    (row) => test(row) && row.updatedAt >= since,
  );
  const sorted = call.query.has('sort')
    ? sortRows(rows, call.query, { sort: 'created', direction: 'desc' })
    : rows;
  return listPage(call, sorted, (row) => viewReviewComment(call, call.repo, row));
}

function commentOf(call: RepoCall): ReviewComment {
  const { store } = call.world;
  const comment = store.reviewComments.get(numberParam(call, 'comment_id'));
  if (
    comment?.repoId !== call.repo.id ||
    comment.deleted ||
    !canSee(store.reviews.get(comment.reviewId), call.user)
  )
    throw notFound();
  return comment;
}

function editableComment(call: RepoCall): ReviewComment {
  const comment = commentOf(call);
  if (comment.userId !== call.user.id && !hasPermission(call.repo, call.user, 'write'))
    throw forbidden('Must have write access to Repository.');
  return comment;
}

async function createComment(call: RepoCall) {
  const { in_reply_to } = readBody(call, { in_reply_to: z.number().optional() });
  if (in_reply_to !== undefined) return reply(call, in_reply_to, readBody(call, { body: z.string() }).body);
  refuseUnsupportedFields(call.body, UNSUPPORTED_PLACES);
  const {
    body,
    commit_id: commitId,
    ...at
  } = readBody(call, {
    body: z.string(),
    commit_id: z.string(),
    path: z.string(),
    line: z.number(),
    side: Side.optional(),
  });
  const text = checkBodyText('PullRequestReviewComment', body);
  const placed = await placeComment(call.world, call.repo, pullOf(call), { ...at, commitId });
  if (placed.kind === 'off-diff') throw offDiff(placed.what);
  return publish(call, { body: text, place: placed.place, inReplyToId: null });
}

function offDiff(what: OffDiff) {
  const field = what === 'commit' ? 'commit_id' : `pull_request_review_thread.${what}`;
  const message =
    what === 'commit' ? 'commit_id is not part of the pull request' : `${field} must be part of the diff`;
  return invalid({ resource: 'PullRequestReviewComment', code: 'custom', field, message });
}

/** Replies hang on the first comment of a thread; a reply to a reply is refused. */
function reply(call: RepoCall, parentId: number, body: string) {
  const issue = pullOf(call);
  const parent = call.world.store.reviewComments.get(parentId);
  const visible =
    parent && !parent.deleted && canSee(call.world.store.reviews.get(parent.reviewId), call.user);
  if (!visible || parent.repoId !== call.repo.id || parent.number !== issue.number) throw notFound();
  // Where the first comment is gone, any other stands for the thread.
  const root = parent.inReplyToId === null ? parent : call.world.store.reviewComments.get(parent.inReplyToId);
  if (parent.inReplyToId !== null && !root?.deleted)
    throw invalid({
      resource: 'PullRequestReviewComment',
      code: 'custom',
      field: 'in_reply_to',
      message: 'in_reply_to is not a top-level comment',
    });
  const text = checkBodyText('PullRequestReviewComment', body);
  return publish(call, { body: text, place: parent.place, inReplyToId: root?.id ?? parent.id });
}

function onePending() {
  return invalid({
    resource: 'PullRequestReview',
    code: 'custom',
    field: 'user_id',
    message: 'user_id can only have one pending review per pull request',
  });
}

/** A lone comment comes in a review of its own, without words, as on GitHub. */
async function publish(call: RepoCall, comment: Parameters<typeof addReviewComment>[2]) {
  const { world, repo, user } = call;
  const issue = pullOf(call);
  if (hasPendingReview(world, issue, user)) throw onePending();
  const review = addReview(world, issue, user, {
    body: '',
    state: 'COMMENTED',
    commitId: issue.pull.headSha,
  });
  const row = addReviewComment(world, review, comment);
  noteSubmitted(world, repo, review);
  return created(await viewReviewComment(call, repo, row));
}
