import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { ApiError, notFound, unprocessable } from '../../basics/api-error.js';
import { findIssue, findPull, inThread } from '../../domain/issues.js';
import { placeComment, type WantedPlace } from '../../domain/place-comment.js';
import { addReviewComment } from '../../domain/reviews.js';
import { checkBodyText } from '../../domain/texts.js';
import { setResolved } from '../../graphql/threads.js';
import { actingAs } from '../../history/history.js';
import type { Person } from '../../people/people.js';
import { idOf, numberOf } from '../../people/request.js';
import { type Review, type ReviewComment, Side, type User } from '../../store/rows.js';
import { issuePath, type RepoPageContext, repoPath } from '../parts/page-context.js';
import { findPendingReview } from '../views/conversation.js';

/** A form that a visitor submitted. */
export type Sent = { context: RepoPageContext; form: URLSearchParams; user: User; person: Person };

/** Each action calls API routes and returns the path of the next page. */
type Action = (sent: Sent, number: number) => Promise<string>;

const field = ({ form }: Sent, name: string) => form.get(name) ?? '';
const numberField = ({ form }: Sent, name: string) => z.coerce.number().int().parse(form.get(name));

function request(sent: Sent, asked: string, body?: object): Promise<unknown> {
  const [method = '', below = ''] = asked.split(' ');
  return sent.person.request(method, `/repos${repoPath(sent.context.repo)}/${below}`, body);
}

function pathOf({ context, form }: Sent, number: number): string {
  const path = issuePath(context.repo, findIssue(context, number));
  return form.get('from') === 'files' ? `${path}/files` : path;
}

export async function openIssue(sent: Sent): Promise<string> {
  const labels = sent.form.getAll('label');
  const body = {
    title: field(sent, 'title'),
    body: field(sent, 'body'),
    ...(labels.length > 0 && { labels }),
  };
  return `${repoPath(sent.context.repo)}/issues/${await numberOf(request(sent, 'POST issues', body))}`;
}

/** Posts the text before it closes or reopens the issue. */
async function comment(sent: Sent, number: number): Promise<string> {
  const action = field(sent, 'do');
  const state = action === 'close' ? 'closed' : action === 'reopen' ? 'open' : undefined;
  const body = field(sent, 'body');
  const silent = state !== undefined && body.trim() === '';
  const id = silent ? undefined : await idOf(request(sent, `POST issues/${number}/comments`, { body }));
  if (state) await request(sent, `PATCH issues/${number}`, { state });
  return `${pathOf(sent, number)}${id === undefined ? '' : `#issuecomment-${id}`}`;
}

async function label(sent: Sent, number: number): Promise<string> {
  await request(sent, `POST issues/${number}/labels`, { labels: [field(sent, 'label')] });
  return pathOf(sent, number);
}

async function unlabel(sent: Sent, number: number): Promise<string> {
  const name = field(sent, 'label');
  // No URL path can end in these names, because clients resolve them as relative segments.
  if (name === '.' || name === '..') throw new ApiError(422, 'GitHub cannot address a label of this name.');
  await request(sent, `DELETE issues/${number}/labels/${encodeURIComponent(name)}`);
  return pathOf(sent, number);
}

async function merge(sent: Sent, number: number): Promise<string> {
  const body = { merge_method: field(sent, 'method'), sha: field(sent, 'sha') };
  await request(sent, `PUT pulls/${number}/merge`, body);
  return pathOf(sent, number);
}

async function review(sent: Sent, number: number): Promise<string> {
  const pending = findPendingReview(sent.context, findPull(sent.context, number));
  const review = { event: field(sent, 'event'), body: field(sent, 'body') };
  const answer = pending
    ? request(sent, `POST pulls/${number}/reviews/${pending.id}/events`, review)
    : request(sent, `POST pulls/${number}/reviews`, { ...review, commit_id: field(sent, 'sha') });
  return `${pathOf(sent, number)}#pullrequestreview-${await idOf(answer)}`;
}

/** Posts a single comment, starts a review with it, or adds it to the visitor's pending review. */
async function lineComment(sent: Sent, number: number): Promise<string> {
  const { context } = sent;
  const spot = {
    path: field(sent, 'path'),
    side: Side.parse(field(sent, 'side')),
    line: numberField(sent, 'line'),
  };
  const [body, commit_id] = [field(sent, 'body'), field(sent, 'commit')];
  const pending = findPendingReview(context, findPull(context, number));
  const post = async () => {
    if (pending) return (await addToPending(sent, pending, { ...spot, commitId: commit_id })).id;
    if (field(sent, 'do') !== 'review')
      return idOf(request(sent, `POST pulls/${number}/comments`, { ...spot, body, commit_id }));
    const started = { commit_id, comments: [{ ...spot, body }] };
    const id = await idOf(request(sent, `POST pulls/${number}/reviews`, started));
    return context.world.store.reviewComments.find((row) => row.reviewId === id)?.id;
  };
  return `${pathOf(sent, number)}#discussion_r${await post()}`;
}

async function reply(sent: Sent, number: number): Promise<string> {
  const replyTo = numberField(sent, 'comment');
  const pending = findPendingReview(sent.context, findPull(sent.context, number));
  const at = `POST pulls/${number}/comments/${replyTo}/replies`;
  const id = pending
    ? (await addToPending(sent, pending, { replyTo })).id
    : await idOf(request(sent, at, { body: field(sent, 'body') }));
  return `${pathOf(sent, number)}#discussion_r${id}`;
}

/** Adds a comment to a pending review. GitHub's pages can do this, but its REST API cannot. */
async function addToPending(
  sent: Sent,
  review: Review,
  at: WantedPlace | { replyTo: number },
): Promise<ReviewComment> {
  const { context, user } = sent;
  const { world } = context;
  const issue = findPull(context, review.number);
  const body = checkBodyText('PullRequestReviewComment', field(sent, 'body'));
  const add = (comment: Pick<ReviewComment, 'place' | 'inReplyToId'>) =>
    actingAs(user.login, () => addReviewComment(world, review, { body, ...comment }));
  if ('replyTo' in at) {
    const parent = world.store.reviewComments.get(at.replyTo);
    if (!parent || !inThread(issue)(parent)) throw notFound();
    return add({ place: parent.place, inReplyToId: parent.inReplyToId ?? parent.id });
  }
  const placed = await placeComment(context, issue, at);
  if (placed.kind === 'off-diff') throw unprocessable('Line could not be resolved');
  if (world.store.reviews.get(review.id)?.state !== 'PENDING')
    throw unprocessable('The review was submitted in the meantime');
  return add({ place: placed.place, inReplyToId: null });
}

async function resolve(sent: Sent, number: number): Promise<string> {
  const { context, user } = sent;
  const { world } = context;
  const root = world.store.reviewComments.get(numberField(sent, 'comment'));
  if (!root || !inThread(findPull(context, number))(root)) throw notFound();
  const viewer = { world, api: world.url, user, token: null, access: null, use: () => {} };
  try {
    await actingAs(user.login, () => setResolved(viewer, root.id, field(sent, 'resolved') === 'yes'));
  } catch (error) {
    throw error instanceof GraphQLError ? new ApiError(403, error.message) : error;
  }
  return `${pathOf(sent, number)}#thread-${root.id}`;
}

export const ACTIONS: ReadonlyMap<string, Action> = new Map(
  Object.entries({ comment, label, unlabel, merge, review, reply, resolve, 'line-comment': lineComment }),
);
