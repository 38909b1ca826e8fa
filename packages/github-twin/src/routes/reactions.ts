import { z } from 'zod';
import { notFound } from '../api-error.js';
import { findIssue } from '../domain/issues.js';
import { listReviewComments } from '../domain/reviews.js';
import { noContent, numberParam, readBody } from '../http/call.js';
import { listPage } from '../http/paginate.js';
import { REACTIONS, type Reaction, type Subject } from '../store/review-rows.js';
import { nodeId, viewUserOf } from '../views/user.js';
import { type RepoCall, repoRoute } from './repo-route.js';

type Find = (call: RepoCall) => number;

const findIssueId: Find = (call) => findIssue(call.world, call.repo, numberParam(call, 'issue_number')).id;
const findCommentId: Find = (call) => {
  const comment = call.world.store.comments.get(numberParam(call, 'comment_id'));
  if (comment?.repoId !== call.repo.id) throw notFound();
  return comment.id;
};
const findReviewCommentId: Find = (call) => {
  const id = numberParam(call, 'comment_id');
  if (!listReviewComments(call.world, call.repo, call.user).some((row) => row.id === id)) throw notFound();
  return id;
};

export const reactionRoutes = [
  ...routesFor('issue', '/issues/{issue_number}/reactions', findIssueId),
  ...routesFor('comment', '/issues/comments/{comment_id}/reactions', findCommentId),
  ...routesFor('review-comment', '/pulls/comments/{comment_id}/reactions', findReviewCommentId),
];

function routesFor(subject: Subject, path: string, find: Find) {
  const of = (call: RepoCall) => {
    const subjectId = find(call);
    return call.world.store.reactions.filter((row) => row.subject === subject && row.subjectId === subjectId);
  };
  return [
    repoRoute('GET', path, 'read', (call) => {
      const wanted = call.query.get('content');
      const rows = of(call).filter((row) => wanted === null || row.content === wanted);
      return listPage(call, rows, (row) => viewReaction(call, row));
    }),
    repoRoute('POST', path, 'read', (call) => {
      const { content } = readBody(call, { content: z.enum(REACTIONS) });
      const mine = of(call).find((row) => row.userId === call.user.id && row.content === content);
      if (mine) return { status: 200, body: viewReaction(call, mine) };
      return { status: 201, body: viewReaction(call, react(call, subject, find(call), content)) };
    }),
    repoRoute('DELETE', `${path}/{reaction_id}`, 'read', (call) => {
      const reaction = of(call).find((row) => row.id === numberParam(call, 'reaction_id'));
      if (reaction?.userId !== call.user.id) throw notFound();
      call.world.store.reactions.remove(reaction.id);
      return noContent();
    }),
  ];
}

function react(
  { world, user }: RepoCall,
  subject: Subject,
  subjectId: number,
  content: Reaction['content'],
): Reaction {
  const id = world.store.nextId();
  return world.store.reactions.put({
    id,
    subject,
    subjectId,
    userId: user.id,
    content,
    createdAt: world.stamp(),
    bornMs: world.clock.now(),
  });
}

function viewReaction(call: RepoCall, reaction: Reaction) {
  return {
    id: reaction.id,
    node_id: nodeId('REA', reaction.id),
    user: viewUserOf(call, reaction.userId),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}
