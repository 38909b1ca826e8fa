import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { forbidden } from '../../basics/api-error.js';
import { closeIssue, findIssue, isPull, listIssues, openIssue } from '../../domain/issues.js';
import { ensureLabels } from '../../domain/labels.js';
import { hasPermission } from '../../domain/permissions.js';
import { refuseReopening } from '../../domain/refuse-reopening.js';
import { checkLength, checkTitle } from '../../domain/texts.js';
import {
  created,
  numberParam,
  ok,
  readBody,
  refuseUnsupported,
  refuseUnsupportedFields,
} from '../../rest/call.js';
import { asSeen, listPage } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { sinceOf, sortRows } from '../../rest/sorting.js';
import type { Issue } from '../../store/rows.js';
import { viewIssue } from '../../views/issue.js';

export const issueRoutes = [
  repoRoute('GET', '/issues', 'read', listRepoIssues),
  repoRoute('POST', '/issues', 'read', createIssue),
  repoRoute('GET', '/issues/{issue_number}', 'read', (call) => {
    const issue = findIssue(call.world, call.repo, numberParam(call, 'issue_number'));
    return ok(viewIssue(call, call.repo, issue));
  }),
  repoRoute('PATCH', '/issues/{issue_number}', 'read', updateIssue),
];

function listRepoIssues(call: RepoCall) {
  refuseUnsupported(call, ['milestone', 'type', 'mentioned', 'issue_field_values', 'assignee', 'creator']);
  const { query, world, repo } = call;
  const state = query.get('state') ?? 'open';
  const labels = (query.get('labels') ?? '').split(',').filter(Boolean);
  const since = sinceOf(query);
  const matching = asSeen(call, world.store.issues, listIssues(world, repo)).filter(
    (issue) =>
      (state === 'all' || issue.state === state) &&
      issue.updatedAt >= since &&
      labels.every((name) => issue.labelIds.some((id) => isNamed(call, id, name))),
  );
  const rows = sortRows(matching, query, { sort: 'created', direction: 'desc' });
  return listPage(call, rows, (issue) => viewIssue(call, repo, issue));
}

function isNamed(call: RepoCall, labelId: number, name: string): boolean {
  return call.world.store.labels.get(labelId)?.name.toLowerCase() === name.trim().toLowerCase();
}

const UNSUPPORTED = [
  'assignee',
  'assignees',
  'milestone',
  'type',
  'issue_field_values',
  'duplicate_issue_id',
];
const names = z.array(z.union([z.string(), z.object({ name: z.string() }).transform((label) => label.name)]));
const title = z.union([z.string(), z.number().transform(String)]);

function createIssue(call: RepoCall) {
  refuseUnsupportedFields(call.body, UNSUPPORTED);
  const body = readBody(call, {
    title,
    body: z.string().optional(),
    labels: names.optional(),
  });
  // Without triage rights, labels are dropped in silence.
  const trusted = hasPermission(call.repo, call.user, 'triage');
  const issue = openIssue(call.world, call.repo, call.user, {
    title: checkTitle('Issue', body.title),
    body: body.body === undefined ? null : checkLength('Issue', body.body),
    labelIds: trusted ? ensureLabels(call.world, call.repo, body.labels ?? []) : [],
    pull: null,
  });
  return created(viewIssue(call, call.repo, issue));
}

async function updateIssue(call: RepoCall) {
  refuseUnsupportedFields(call.body, UNSUPPORTED);
  const { world, repo, user } = call;
  const asked = findIssue(world, repo, numberParam(call, 'issue_number'));
  const body = readBody(call, {
    title: title.nullish(),
    body: z.string().nullish(),
    state: z.enum(['open', 'closed']).optional(),
    state_reason: z.enum(['completed', 'not_planned', 'duplicate', 'reopened']).nullish(),
    labels: names.optional(),
  });
  if (body.state === 'open' && asked.state === 'closed' && isPull(asked)) await refuseReopening(call, asked);
  const issue = findIssue(world, repo, asked.number);
  const trusted = hasPermission(repo, user, 'triage');
  if (!trusted && issue.userId !== user.id) throw forbidden('Must have triage access to Repository.');
  const edited: Issue = {
    ...issue,
    title: body.title == null ? issue.title : checkTitle('Issue', body.title),
    body: body.body === undefined ? issue.body : body.body === null ? null : checkLength('Issue', body.body),
    labelIds: trusted && body.labels ? ensureLabels(world, repo, body.labels) : issue.labelIds,
  };
  const changed = changeState(call, issue, edited, body);
  return ok(viewIssue(call, repo, changed));
}

type StateChange = { state?: 'open' | 'closed' | undefined; state_reason?: Issue['stateReason'] | undefined };

/** Stores an edited issue, with its new state; an edit that changes nothing is no news and moves nothing. */
export function changeState(call: RepoCall, before: Issue, edited: Issue, wanted: StateChange): Issue {
  const { world, user } = call;
  const { state = before.state, state_reason: reason } = wanted;
  const moved = { ...edited, updatedAt: world.stamp() };
  if (state === 'closed' && before.state === 'open')
    return closeIssue(world, moved, user, reason ?? 'completed');
  if (state === 'open' && before.state === 'closed') return world.store.issues.put(reopen(call, moved));
  const stateReason =
    state === 'closed' && !edited.pull ? (reason ?? before.stateReason) : before.stateReason;
  const same = isDeepStrictEqual({ ...edited, stateReason }, before);
  return same ? before : world.store.issues.put({ ...moved, stateReason });
}

/** Closed pull requests do not follow their branch; a reopened one catches up. */
function reopen(call: RepoCall, issue: Issue): Issue {
  const headSha = call.refs[`refs/heads/${issue.pull?.headRef}`];
  const baseSha = call.refs[`refs/heads/${issue.pull?.baseRef}`];
  return {
    ...issue,
    state: 'open',
    pull: issue.pull && headSha && baseSha ? { ...issue.pull, headSha, baseSha } : issue.pull,
    stateReason: issue.pull ? null : 'reopened',
    closedAt: null,
    closedById: null,
  };
}
