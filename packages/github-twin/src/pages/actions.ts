import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { ApiError, notFound } from '../api-error.js';
import { findIssue, findPull } from '../domain/issues.js';
import { setResolved } from '../graphql/threads.js';
import { actingAs } from '../history.js';
import { idOf, numberOf, type Person } from '../people.js';
import { Side } from '../store/review-rows.js';
import type { Issue, PullIssue, User } from '../store/rows.js';
import { issuePath } from './bits.js';
import { findPendingReview } from './conversation.js';
import { addToPending } from './pending-review.js';
import { type RepoSight, repoPath } from './sight.js';

/** A form that was sent, by somebody. */
export type Sent = { sight: RepoSight; form: URLSearchParams; user: User; person: Person };

/** Each does its work through the API's routes and answers with the address to go to. */
type Action = (sent: Sent, number: number) => Promise<string>;

const field = (form: URLSearchParams, name: string) => form.get(name) ?? '';
const numberField = (form: URLSearchParams, name: string) => z.coerce.number().int().parse(form.get(name));
const api = ({ sight }: Sent, rest: string) => `/repos${repoPath(sight.repo)}/${rest}`;

function issueOf({ sight }: Sent, number: number): Issue {
  return findIssue(sight.world, sight.repo, number);
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
  return `${repoPath(sent.sight.repo)}/issues/${number}`;
}

/** What was written is said before the issue is closed or opened again. */
async function comment(sent: Sent, number: number): Promise<string> {
  const { form, person, sight } = sent;
  const path = issuePath(sight.repo, issueOf(sent, number));
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
  return issuePath(sent.sight.repo, issueOf(sent, number));
}

async function unlabel(sent: Sent, number: number): Promise<string> {
  const name = field(sent.form, 'label');
  // No address can end in these: they would mean another route.
  if (name === '.' || name === '..') throw new ApiError(422, 'GitHub cannot address a label of this name.');
  await sent.person.request('DELETE', api(sent, `issues/${number}/labels/${encodeURIComponent(name)}`));
  return issuePath(sent.sight.repo, issueOf(sent, number));
}

async function merge(sent: Sent, number: number): Promise<string> {
  const { form, person } = sent;
  const body = { merge_method: field(form, 'method'), sha: field(form, 'sha') };
  await person.request('PUT', api(sent, `pulls/${number}/merge`), body);
  return issuePath(sent.sight.repo, issueOf(sent, number));
}

async function review(sent: Sent, number: number): Promise<string> {
  const { form, person, sight } = sent;
  const issue = findPull(sight.world, sight.repo, number);
  const pending = findPendingReview(sight, issue);
  const said = { event: field(form, 'event'), body: field(form, 'body') };
  const at = api(sent, `pulls/${number}/reviews`);
  const id = pending
    ? await idOf(person.request('POST', `${at}/${pending.id}/events`, said))
    : await idOf(person.request('POST', at, { ...said, commit_id: field(form, 'sha') }));
  return `${issuePath(sight.repo, issue)}#pullrequestreview-${id}`;
}

async function lineComment(sent: Sent, number: number): Promise<string> {
  const { form, person, sight, user } = sent;
  const issue = findPull(sight.world, sight.repo, number);
  const spot = {
    path: field(form, 'path'),
    side: Side.parse(form.get('side')),
    line: numberField(form, 'line'),
  };
  const [body, commit_id] = [field(form, 'body'), field(form, 'commit')];
  const pending = findPendingReview(sight, issue);
  const files = `${issuePath(sight.repo, issue)}/files`;
  if (pending) {
    const addition = { body, at: { ...spot, commitId: commit_id } };
    const added = await actingAs(user.login, () => addToPending(sight, issue, pending, addition));
    return `${files}#discussion_r${added.id}`;
  }
  if (field(form, 'do') === 'review') {
    const started = { commit_id, comments: [{ ...spot, body }] };
    const id = await idOf(person.request('POST', api(sent, `pulls/${number}/reviews`), started));
    const first = sight.world.store.reviewComments.find((row) => row.reviewId === id);
    return `${files}#discussion_r${first?.id ?? 0}`;
  }
  const single = { ...spot, body, commit_id };
  const id = await idOf(person.request('POST', api(sent, `pulls/${number}/comments`), single));
  return `${files}#discussion_r${id}`;
}

async function reply(sent: Sent, number: number): Promise<string> {
  const { form, person, sight, user } = sent;
  const issue = findPull(sight.world, sight.repo, number);
  const [parentId, body] = [numberField(form, 'comment'), field(form, 'body')];
  const pending = findPendingReview(sight, issue);
  const addition = { body, at: { replyTo: parentId } };
  const id = pending
    ? (await actingAs(user.login, () => addToPending(sight, issue, pending, addition))).id
    : await idOf(person.request('POST', api(sent, `pulls/${number}/comments/${parentId}/replies`), { body }));
  return `${cameFrom(sent, issue)}#discussion_r${id}`;
}

async function resolve(sent: Sent, number: number): Promise<string> {
  const { form, sight, user } = sent;
  const issue = findPull(sight.world, sight.repo, number);
  const rootId = numberField(form, 'comment');
  const root = sight.world.store.reviewComments.get(rootId);
  if (root?.repoId !== sight.repo.id || root.number !== number) throw notFound();
  const viewer = { world: sight.world, api: sight.world.url, user, token: null };
  try {
    await actingAs(user.login, () => setResolved(viewer, rootId, field(form, 'resolved') === 'yes'));
  } catch (error) {
    throw error instanceof GraphQLError ? new ApiError(403, error.message) : error;
  }
  return `${cameFrom(sent, issue)}#thread-${rootId}`;
}

function cameFrom({ sight, form }: Sent, issue: PullIssue): string {
  return `${issuePath(sight.repo, issue)}${field(form, 'from') === 'files' ? '/files' : ''}`;
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
