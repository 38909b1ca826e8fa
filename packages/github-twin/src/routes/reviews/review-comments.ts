import { z } from 'zod';
import { invalid, notFound } from '../../basics/api-error.js';
import { inThread } from '../../domain/issues.js';
import { type OffDiff, placeComment } from '../../domain/place-comment.js';
import * as domain from '../../domain/reviews.js';
import { checkBodyText } from '../../domain/texts.js';
import { created, noContent, numberParam, ok, readBody, rowParam } from '../../rest/call.js';
import { changedSince, listPage, sortRows } from '../../rest/lists.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { type ReviewComment, Side } from '../../store/rows.js';
import { viewReviewComment } from '../../views/review.js';
import { checkEditable, editComment } from '../edit-comment.js';
import { pullOf } from '../pulls/pulls.js';

const one = '/pulls/comments/{comment_id}';
const resource = 'PullRequestReviewComment';
const custom = (field: string, message: string) => invalid({ resource, code: 'custom', field, message });

export const reviewCommentRoutes = [
  repoRoute('GET /pulls/comments', (call) => listComments(call, () => true)),
  repoRoute(`GET ${one}`, async (call) => ok(await viewReviewComment(call, commentOf(call)))),
  repoRoute(`PATCH ${one}`, async (call) => {
    const edited = editComment(call, call.world.store.reviewComments, { resource, comment: commentOf(call) });
    return ok(await viewReviewComment(call, edited));
  }),
  repoRoute(`DELETE ${one}`, (call) => {
    domain.removeReviewComment(call.world, checkEditable(call, commentOf(call)));
    return noContent();
  }),
  repoRoute('GET /pulls/{pull_number}/comments', (call) => listComments(call, inThread(pullOf(call)))),
  repoRoute('POST /pulls/{pull_number}/comments', createComment),
  repoRoute('POST /pulls/{pull_number}/comments/{comment_id}/replies', (call) =>
    reply(call, numberParam(call, 'comment_id'), readBody(call, { body: z.string() }).body),
  ),
];

function listComments(call: RepoCall, test: (row: ReviewComment) => boolean) {
  const rows = domain.listReviewComments(call, call.user).filter(test).filter(changedSince(call.query));
  const sorted = call.query.has('sort') ? sortRows(rows, call.query, 'desc') : rows;
  return listPage(call, sorted, viewReviewComment);
}

function isReadable({ world, user }: RepoCall, comment: ReviewComment): boolean {
  return !comment.deleted && domain.canSee(world.store.reviews.get(comment.reviewId), user);
}

function commentOf(call: RepoCall): ReviewComment {
  const comment = rowParam(call, 'comment_id', call.world.store.reviewComments);
  if (!isReadable(call, comment)) throw notFound();
  return comment;
}

async function createComment(call: RepoCall) {
  const { in_reply_to: parentId } = z.looseObject({ in_reply_to: z.number().optional() }).parse(call.body);
  // GitHub ignores all fields of a reply except its text.
  if (parentId !== undefined)
    return reply(call, parentId, z.looseObject({ body: z.string() }).parse(call.body).body);
  const {
    body,
    commit_id,
    start_line: startLine,
    start_side: startSide,
    ...spot
  } = readBody(call, {
    body: z.string(),
    commit_id: z.string(),
    path: z.string(),
    line: z.number(),
    side: Side.optional(),
    start_line: z.number().optional(),
    start_side: Side.optional(),
  });
  const text = checkBodyText(resource, body);
  const placed = await placeComment(call, pullOf(call), {
    ...spot,
    startLine,
    startSide,
    commitId: commit_id,
  });
  if (placed.kind === 'off-diff') throw offDiff(placed.what);
  return publish(call, { body: text, place: placed.place, inReplyToId: null });
}

function offDiff(what: OffDiff) {
  if (what === 'commit') return custom('commit_id', 'commit_id is not part of the pull request');
  const field = `pull_request_review_thread.${what}`;
  return custom(field, `${field} must be part of the diff`);
}

/** Replies to the first comment of a thread. GitHub rejects replies to replies. */
function reply(call: RepoCall, parentId: number, body: string) {
  const { reviewComments } = call.world.store;
  const parent = reviewComments.get(parentId);
  if (!parent || !isReadable(call, parent) || !inThread(pullOf(call))(parent)) throw notFound();
  // If the first comment was deleted, any reply identifies the thread.
  const root = parent.inReplyToId === null ? parent : reviewComments.get(parent.inReplyToId);
  if (parent.inReplyToId !== null && !root?.deleted)
    throw custom('in_reply_to', 'in_reply_to is not a top-level comment');
  const text = checkBodyText(resource, body);
  return publish(call, { body: text, place: parent.place, inReplyToId: root?.id ?? parent.id });
}

/** As on GitHub, a single comment gets its own review without a body. */
async function publish(call: RepoCall, comment: domain.NewReviewComment) {
  const { world, user } = call;
  const issue = pullOf(call);
  if (domain.hasPendingReview(world, issue, user))
    throw invalid({
      resource: 'PullRequestReview',
      code: 'custom',
      field: 'user_id',
      message: 'user_id can only have one pending review per pull request',
    });
  const lone = { body: '', state: 'COMMENTED', commitId: issue.pull.headSha, user } as const;
  const review = domain.addReview(world, issue, lone);
  const row = domain.addReviewComment(world, review, comment);
  domain.noteSubmitted(call, review);
  return created(await viewReviewComment(call, row));
}
