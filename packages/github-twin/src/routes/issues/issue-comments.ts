import { z } from 'zod';
import { forbidden, notFound } from '../../basics/api-error.js';
import { findIssue, touch } from '../../domain/issues.js';
import { hasPermission } from '../../domain/permissions.js';
import { checkBodyText } from '../../domain/texts.js';
import { created, noContent, numberParam, ok, readBody } from '../../rest/call.js';
import { listPage } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { sinceOf, sortRows } from '../../rest/sorting.js';
import type { Comment } from '../../store/rows.js';
import { viewComment } from '../../views/issue.js';

const shape = { body: z.string() };

export const issueCommentRoutes = [
  repoRoute('GET', '/issues/comments', 'read', (call) => {
    const rows = commentsOf(call).filter((row) => row.updatedAt >= sinceOf(call.query));
    const sorted = sortRows(rows, call.query, { sort: 'created', direction: 'asc' });
    // Without `sort`, GitHub ignores `direction` and lists by id.
    return listPage(call, call.query.has('sort') ? sorted : rows, (row) => viewComment(call, call.repo, row));
  }),
  repoRoute('GET', '/issues/comments/{comment_id}', 'read', (call) =>
    ok(viewComment(call, call.repo, commentOf(call))),
  ),
  repoRoute('PATCH', '/issues/comments/{comment_id}', 'read', editComment),
  repoRoute('DELETE', '/issues/comments/{comment_id}', 'read', deleteComment),
  repoRoute('GET', '/issues/{issue_number}/comments', 'read', (call) => {
    const { number } = findIssue(call.world, call.repo, numberParam(call, 'issue_number'));
    const since = sinceOf(call.query);
    const rows = commentsOf(call).filter((row) => row.number === number && row.updatedAt >= since);
    return listPage(call, rows, (row) => viewComment(call, call.repo, row));
  }),
  repoRoute('POST', '/issues/{issue_number}/comments', 'read', createComment),
];

function commentsOf({ world, repo }: RepoCall): Comment[] {
  const hidden = new Set(
    world.store.issues.filter((row) => row.repoId === repo.id && row.deleted).map((row) => row.number),
  );
  return world.store.comments.filter((row) => row.repoId === repo.id && !hidden.has(row.number));
}

function commentOf(call: RepoCall): Comment {
  const comment = call.world.store.comments.get(numberParam(call, 'comment_id'));
  if (comment?.repoId !== call.repo.id) throw notFound();
  return comment;
}

function createComment(call: RepoCall) {
  const { world, repo, user } = call;
  const issue = findIssue(world, repo, numberParam(call, 'issue_number'));
  const body = checkBodyText('IssueComment', readBody(call, shape).body);
  const now = world.stamp();
  const comment = world.store.comments.put({
    id: world.store.nextId(),
    repoId: repo.id,
    number: issue.number,
    userId: user.id,
    body,
    createdAt: now,
    updatedAt: now,
    bornMs: world.clock.now(),
  });
  touch(world, issue);
  return created(viewComment(call, repo, comment));
}

function editableComment(call: RepoCall): Comment {
  const comment = commentOf(call);
  if (comment.userId !== call.user.id && !hasPermission(call.repo, call.user, 'write'))
    throw forbidden('Must have write access to Repository.');
  return comment;
}

function editComment(call: RepoCall) {
  const comment = editableComment(call);
  const body = checkBodyText('IssueComment', readBody(call, shape).body);
  const same = body === comment.body;
  const edited = same
    ? comment
    : call.world.store.comments.put({ ...comment, body, updatedAt: call.world.stamp() });
  return ok(viewComment(call, call.repo, edited));
}

function deleteComment(call: RepoCall) {
  call.world.store.comments.remove(editableComment(call).id);
  return noContent();
}
