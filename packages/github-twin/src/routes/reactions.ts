import { forbidden, notFound } from '../basics/api-error.js';
import { findIssue } from '../domain/issues.js';
import { created, noContent, numberParam, ok, readBody, rowParam } from '../rest/call.js';
import { listPage } from '../rest/lists.js';
import { type RepoCall, repoRoute } from '../rest/repo-route.js';
import { type Reactable, ReactionContent } from '../store/rows.js';
import { reactsTo, viewReaction } from '../views/reaction.js';
import { born } from '../world/world.js';

type FindSubject = (call: RepoCall) => Reactable;

const routesOf = (path: string, find: FindSubject) => [
  repoRoute(`GET ${path}`, (call) => {
    const content = call.query.get('content');
    const rows = listReactions(call, find(call)).filter((row) => content === null || row.content === content);
    return listPage(call, rows, viewReaction);
  }),
  repoRoute(`POST ${path}`, (call) => react(call, find(call))),
  repoRoute(`DELETE ${path}/{reaction_id}`, (call) => remove(call, find(call))),
];

export const reactionRoutes = [
  ...routesOf('/issues/{issue_number}/reactions', (call) => ({
    subject: 'issue',
    subjectId: findIssue(call, numberParam(call, 'issue_number')).id,
  })),
  ...routesOf('/issues/comments/{comment_id}/reactions', (call) => ({
    subject: 'comment',
    subjectId: rowParam(call, 'comment_id', call.world.store.comments).id,
  })),
  ...routesOf('/pulls/comments/{comment_id}/reactions', (call) => ({
    subject: 'reviewComment',
    subjectId: rowParam(call, 'comment_id', call.world.store.reviewComments).id,
  })),
];

const listReactions = ({ world }: RepoCall, about: Reactable) =>
  world.store.reactions.filter(reactsTo(about));

/** Adds a reaction. As on GitHub, a user's repeated reaction gets 200 with the existing one, and no `updated_at` changes. */
function react(call: RepoCall, about: Reactable) {
  const { world, user, repo } = call;
  const { content } = readBody(call, { content: ReactionContent });
  const known = listReactions(call, about).find((row) => row.userId === user.id && row.content === content);
  if (known !== undefined) return ok(viewReaction(call, known));
  const row = { ...born(world), repoId: repo.id, ...about, userId: user.id, content };
  return created(viewReaction(call, world.store.reactions.put(row)));
}

function remove(call: RepoCall, about: Reactable) {
  const reaction = rowParam(call, 'reaction_id', call.world.store.reactions);
  if (!reactsTo(about)(reaction)) throw notFound();
  if (reaction.userId !== call.user.id) throw forbidden('Must be the author of the reaction.');
  call.world.store.reactions.remove(reaction.id);
  return noContent();
}
