import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { ApiError, notFound } from '../../basics/api-error.js';
import { findIssue, findPull } from '../../domain/issues.js';
import { setResolved } from '../../graphql/threads.js';
import { actingAs } from '../../history/history.js';
import type { Person } from '../../people/people.js';
import { idOf, numberOf } from '../../people/request.js';
import { Side } from '../../store/review-rows.js';
import type { Issue, PullIssue, User } from '../../store/rows.js';
import { issuePath } from '../parts/elements.js';
import { findPendingReview } from '../views/conversation.js';
import { type RepoPageContext, repoPath } from '../visit/page-context.js';
import { addToPending } from './pending-review.js';

/** A form that was sent, by somebody. */
export type Sent = { context: RepoPageContext; form: URLSearchParams; user: User; person: Person };

/** Each does its work through the API's routes and answers with the address to go to. */
type Action = (sent: Sent, number: number) => Promise<string>;

const field = (form: URLSearchParams, name: string) => form.get(name) ?? '';
const numberField = (form: URLSearchParams, name: string) => z.coerce.number().int().parse(form.get(name));
const api = ({ context }: Sent, rest: string) => `/repos${repoPath(context.repo)}/${rest}`;

function issueOf({ context }: Sent, number: number): Issue {
  return findIssue(context.world, context.repo, number);
}

export async function openIssue(sent: Sent): Promise<string> {
  const { form, person } = sent;
  const labels = form.getAll('label');
  const body = {
    title: field(form, 'title'),
    body: field(form, 'body'),
    ...(labels.length > 0 && { labels }),
  };
  const number = await numberOf(person.request('POST', api(sent, 'issues'), body));
  return `${repoPath(sent.context.repo)}/issues/${number}`;
}

/** What was written is said before the issue is closed or opened again. */
async function comment(sent: Sent, number: number): Promise<string> {
  const { form, person, context } = sent;
  const path = issuePath(context.repo, issueOf(sent, number));
  const wish = field(form, 'do');
  const state = wish === 'close' ? 'closed' : wish === 'reopen' ? 'open' : undefined;
  const body = field(form, 'body');
  const silent = state !== undefined && body.trim() === '';
  const id = silent
    ? undefined
    : await idOf(person.request('POST', api(sent, `issues/${number}/comments`), { body }));
  if (state) await person.request('PATCH', api(sent, `issues/${number}`), { state });
  return id === undefined ? path : `${path}#issuecomment-${id}`;
}

async function label(sent: Sent, number: number): Promise<string> {
  const labels = [field(sent.form, 'label')];
  await sent.person.request('POST', api(sent, `issues/${number}/labels`), { labels });
  return issuePath(sent.context.repo, issueOf(sent, number));
}

async function unlabel(sent: Sent, number: number): Promise<string> {
  const name = field(sent.form, 'label');
  // No address can end in these: they would mean another route.
  if (name === '.' || name === '..') throw new ApiError(422, 'GitHub cannot address a label of this name.');
  await sent.person.request('DELETE', api(sent, `issues/${number}/labels/${encodeURIComponent(name)}`));
  return issuePath(sent.context.repo, issueOf(sent, number));
}

async function merge(sent: Sent, number: number): Promise<string> {
  const { form, person } = sent;
  const body = { merge_method: field(form, 'method'), sha: field(form, 'sha') };
  await person.request('PUT', api(sent, `pulls/${number}/merge`), body);
  return issuePath(sent.context.repo, issueOf(sent, number));
}

async function review(sent: Sent, number: number): Promise<string> {
  const { form, person, context } = sent;
  const issue = findPull(context.world, context.repo, number);
  const pending = findPendingReview(context, issue);
  const said = { event: field(form, 'event'), body: field(form, 'body') };
  const at = api(sent, `pulls/${number}/reviews`);
  const id = pending
    ? await idOf(person.request('POST', `${at}/${pending.id}/events`, said))
    : await idOf(person.request('POST', at, { ...said, commit_id: field(form, 'sha') }));
  return `${issuePath(context.repo, issue)}#pullrequestreview-${id}`;
}

async function lineComment(sent: Sent, number: number): Promise<string> {
  const { form, person, context, user } = sent;
  const issue = findPull(context.world, context.repo, number);
  const spot = {
    path: field(form, 'path'),
    side: Side.parse(form.get('side')),
    line: numberField(form, 'line'),
  };
  const [body, commit_id] = [field(form, 'body'), field(form, 'commit')];
  const pending = findPendingReview(context, issue);
  const files = `${issuePath(context.repo, issue)}/files`;
  if (pending) {
    const addition = { body, at: { ...spot, commitId: commit_id } };
    const added = await actingAs(user.login, () => addToPending(context, issue, pending, addition));
    return `${files}#discussion_r${added.id}`;
  }
  if (field(form, 'do') === 'review') {
    const started = { commit_id, comments: [{ ...spot, body }] };
    const id = await idOf(person.request('POST', api(sent, `pulls/${number}/reviews`), started));
    const first = context.world.store.reviewComments.find((row) => row.reviewId === id);
    return `${files}#discussion_r${first?.id ?? 0}`;
  }
  const single = { ...spot, body, commit_id };
  const id = await idOf(person.request('POST', api(sent, `pulls/${number}/comments`), single));
  return `${files}#discussion_r${id}`;
}

async function reply(sent: Sent, number: number): Promise<string> {
  const { form, person, context, user } = sent;
  const issue = findPull(context.world, context.repo, number);
  const [parentId, body] = [numberField(form, 'comment'), field(form, 'body')];
  const pending = findPendingReview(context, issue);
  const addition = { body, at: { replyTo: parentId } };
  const id = pending
    ? (await actingAs(user.login, () => addToPending(context, issue, pending, addition))).id
    : await idOf(person.request('POST', api(sent, `pulls/${number}/comments/${parentId}/replies`), { body }));
  return `${cameFrom(sent, issue)}#discussion_r${id}`;
}

async function resolve(sent: Sent, number: number): Promise<string> {
  const { form, context, user } = sent;
  const issue = findPull(context.world, context.repo, number);
  const rootId = numberField(form, 'comment');
  const root = context.world.store.reviewComments.get(rootId);
  if (root?.repoId !== context.repo.id || root.number !== number) throw notFound();
  const viewer = { world: context.world, api: context.world.url, user, token: null };
  try {
    await actingAs(user.login, () => setResolved(viewer, rootId, field(form, 'resolved') === 'yes'));
  } catch (error) {
    throw error instanceof GraphQLError ? new ApiError(403, error.message) : error;
  }
  return `${cameFrom(sent, issue)}#thread-${rootId}`;
}

function cameFrom({ context, form }: Sent, issue: PullIssue): string {
  return `${issuePath(context.repo, issue)}${field(form, 'from') === 'files' ? '/files' : ''}`;
}

export const ACTIONS: Record<string, Action> = {
  comment,
  label,
  unlabel,
  merge,
  review,
  reply,
  resolve,
  'line-comment': lineComment,
};
