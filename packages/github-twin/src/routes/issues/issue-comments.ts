import { z } from 'zod';
import { findIssue, inThread, isVisible, touch } from '../../domain/issues.js';
import { checkBodyText } from '../../domain/texts.js';
import { created, noContent, numberParam, ok, readBody, rowParam } from '../../rest/call.js';
import { changedSince, listPage, sortRows } from '../../rest/lists.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import type { Comment } from '../../store/rows.js';
import { viewComment } from '../../views/issue.js';
import { born } from '../../world/world.js';
import { checkEditable, editComment } from '../edit-comment.js';

const one = '/issues/comments/{comment_id}';
const resource = 'IssueComment';

export const issueCommentRoutes = [
  repoRoute('GET /issues/comments', (call) => {
    const rows = listComments(call);
    // Without `sort`, GitHub ignores `direction` and sorts by id.
    return listPage(call, call.query.has('sort') ? sortRows(rows, call.query, 'asc') : rows, viewComment);
  }),
  repoRoute(`GET ${one}`, (call) => ok(viewComment(call, commentOf(call)))),
  repoRoute(`PATCH ${one}`, (call) => {
    const edited = editComment(call, call.world.store.comments, { resource, comment: commentOf(call) });
    return ok(viewComment(call, edited));
  }),
  repoRoute(`DELETE ${one}`, (call) => {
    call.world.store.comments.remove(checkEditable(call, commentOf(call)).id);
    return noContent();
  }),
  repoRoute('GET /issues/{issue_number}/comments', (call) => {
    const issue = findIssue(call, numberParam(call, 'issue_number'));
    return listPage(call, listComments(call).filter(inThread(issue)), viewComment);
  }),
  repoRoute('POST /issues/{issue_number}/comments', (call) => {
    const { world, user } = call;
    const { repoId, number } = findIssue(call, numberParam(call, 'issue_number'));
    const body = checkBodyText(resource, readBody(call, { body: z.string() }).body);
    const comment = world.store.comments.put({ ...born(world), repoId, number, userId: user.id, body });
    touch(world, findIssue(call, number));
    return created(viewComment(call, comment));
  }),
];

function listComments(call: RepoCall): Comment[] {
  return call.world.store.comments.filter(isVisible(call)).filter(changedSince(call.query));
}

const commentOf = (call: RepoCall) => rowParam(call, 'comment_id', call.world.store.comments);
