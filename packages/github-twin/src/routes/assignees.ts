import { z } from 'zod';
import { findIssue, touch } from '../domain/issues.js';
import { findUser, toAssignees } from '../domain/users.js';
import { created, numberParam, ok, readBody } from '../http/call.js';
import { viewIssue } from '../views/issue.js';
import { type RepoCall, repoRoute } from './repo-route.js';

const shape = { assignees: z.array(z.string()).default([]) };

export const assigneeRoutes = [
  repoRoute('POST', '/issues/{issue_number}/assignees', 'triage', (call) => {
    const added = toAssignees(call.world, call.repo, readBody(call, shape).assignees);
    return created(assign(call, (ids) => [...new Set([...ids, ...added])]));
  }),
  repoRoute('DELETE', '/issues/{issue_number}/assignees', 'triage', (call) => {
    const gone = readBody(call, shape).assignees.map((login) => findUser(call.world, login)?.id);
    return ok(assign(call, (ids) => ids.filter((id) => !gone.includes(id))));
  }),
];

function assign(call: RepoCall, change: (ids: number[]) => number[]) {
  const issue = findIssue(call.world, call.repo, numberParam(call, 'issue_number'));
  const assigneeIds = change(issue.assigneeIds);
  const same = assigneeIds.join() === issue.assigneeIds.join();
  const changed = same ? issue : touch(call.world, { ...issue, assigneeIds });
  return viewIssue(call, call.repo, changed);
}
