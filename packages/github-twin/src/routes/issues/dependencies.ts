import { z } from 'zod';
import { invalid, notFound } from '../../basics/api-error.js';
import { listBlocked, listBlockers, touchDependents } from '../../domain/dependencies.js';
import { findIssue, isPull } from '../../domain/issues.js';
import { mayAct } from '../../domain/permissions.js';
import { type Answer, created, numberParam, ok, readBody } from '../../rest/call.js';
import { listPage } from '../../rest/lists.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import type { Issue } from '../../store/rows.js';
import { viewIssue, viewListedIssue } from '../../views/issue.js';
import { born } from '../../world/world.js';

const at = '/issues/{issue_number}/dependencies';

export const dependencyRoutes = [
  repoRoute(`GET ${at}/blocked_by`, (call) => listRelated(call, listBlockers(call.world, issueOf(call)))),
  repoRoute(`GET ${at}/blocking`, (call) => listRelated(call, listBlocked(call.world, issueOf(call)))),
  repoRoute(`POST ${at}/blocked_by`, addBlocker, 'triage'),
  repoRoute(`DELETE ${at}/blocked_by/{issue_id}`, removeBlocker, 'triage'),
];

function issueOf(call: RepoCall): Issue {
  const issue = findIssue(call, numberParam(call, 'issue_number'));
  if (isPull(issue)) throw notFound();
  return issue;
}

/** Lists issues of any repository that the user can see, each with the addresses of its own repository. */
function listRelated(call: RepoCall, issues: Issue[]): Promise<Answer> {
  const rows = issues.flatMap((issue) => {
    const repo = call.world.store.repos.get(issue.repoId);
    return repo && mayAct(repo, call, 'read') ? [{ repo, issue }] : [];
  });
  return listPage(call, rows, (_, { repo, issue }) => viewListedIssue({ ...call, repo }, issue));
}

/** Returns an issue by its database id, which differs from its number. */
function relatedIssue(call: RepoCall, id: number): Issue {
  const { world } = call;
  const issue = world.store.issues.get(id);
  const repo = issue && world.store.repos.get(issue.repoId);
  if (!issue || issue.deleted || !repo || isPull(issue) || !mayAct(repo, call, 'read')) throw notFound();
  return issue;
}

function addBlocker(call: RepoCall): Answer {
  const { world } = call;
  const blocked = issueOf(call);
  const blocker = relatedIssue(call, readBody(call, { issue_id: z.int() }).issue_id);
  const isKnown = listBlockers(world, blocked).includes(blocker);
  if (isKnown || blocker.id === blocked.id)
    throw invalid({
      resource: 'IssueDependency',
      code: isKnown ? 'already_exists' : 'invalid',
      field: 'issue_id',
    });
  const ids = { repoId: call.repo.id, blockedId: blocked.id, blockerId: blocker.id };
  world.store.dependencies.put({ ...born(world), ...ids });
  touchDependents(world, [blocked]);
  return created(viewIssue(call, issueOf(call)));
}

function removeBlocker(call: RepoCall): Answer {
  const { world } = call;
  const blocked = issueOf(call);
  const blockerId = numberParam(call, 'issue_id');
  const found = world.store.dependencies.find(
    (row) => row.blockedId === blocked.id && row.blockerId === blockerId,
  );
  if (!found) throw notFound();
  world.store.dependencies.remove(found.id);
  touchDependents(world, [blocked]);
  return ok(viewIssue(call, issueOf(call)));
}
