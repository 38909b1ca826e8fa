import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { forbidden } from '../../basics/api-error.js';
import { listBlocked, touchDependents } from '../../domain/dependencies.js';
import { closeIssue, findIssue, isPull, listIssues, openIssue } from '../../domain/issues.js';
import { ensureLabels } from '../../domain/labels.js';
import { mayAct } from '../../domain/permissions.js';
import { refuseReopening } from '../../domain/refuse-reopening.js';
import { checkLength, checkTitle } from '../../domain/texts.js';
import { created, numberParam, ok, readBody, refuseUnsupported } from '../../rest/call.js';
import { applyLag, changedSince, listPage, sortRows } from '../../rest/lists.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import type { Issue } from '../../store/rows.js';
import { viewIssue, viewListedIssue } from '../../views/issue.js';
import { stampOf } from '../../world/world.js';
import { LabelNames } from './labels.js';

export const issueRoutes = [
  repoRoute('GET /issues', listRepoIssues),
  repoRoute('POST /issues', createIssue),
  repoRoute('GET /issues/{issue_number}', (call) => ok(viewIssue(call, issueOf(call)))),
  repoRoute('PATCH /issues/{issue_number}', updateIssue),
];

const issueOf = (call: RepoCall) => findIssue(call, numberParam(call, 'issue_number'));

function listRepoIssues(call: RepoCall) {
  refuseUnsupported(call, ['milestone', 'type', 'mentioned', 'issue_field_values', 'assignee', 'creator']);
  const { query, world } = call;
  const state = query.get('state') ?? 'open';
  const labels = (query.get('labels') ?? '').split(',').filter(Boolean);
  const isNamed = (id: number, name: string) =>
    world.store.labels.get(id)?.name.toLowerCase() === name.trim().toLowerCase();
  const matching = applyLag(call, world.store.issues, listIssues(call))
    .filter(changedSince(query))
    .filter((issue) => state === 'all' || issue.state === state)
    .filter((issue) => labels.every((name) => issue.labelIds.some((id) => isNamed(id, name))));
  return listPage(call, sortRows(matching, query, 'desc'), viewListedIssue);
}

const title = z.union([z.string(), z.number().transform(String)]);

function createIssue(call: RepoCall) {
  const body = readBody(call, { title, body: z.string().optional(), labels: LabelNames.optional() });
  // GitHub silently ignores labels from users without triage access.
  const trusted = mayAct(call.repo, call, 'triage');
  const issue = openIssue(call, {
    title: checkTitle('Issue', body.title),
    body: body.body === undefined ? null : checkLength('Issue', body.body),
    labelIds: trusted ? ensureLabels(call, body.labels ?? []) : [],
    pull: null,
  });
  return created(viewIssue(call, issue));
}

async function updateIssue(call: RepoCall) {
  const asked = issueOf(call);
  const body = readBody(call, {
    title: title.nullish(),
    body: z.string().nullish(),
    state: z.enum(['open', 'closed']).optional(),
    state_reason: z.enum(['completed', 'not_planned', 'duplicate', 'reopened']).nullish(),
    labels: LabelNames.optional(),
  });
  if (body.state === 'open' && asked.state === 'closed' && isPull(asked)) await refuseReopening(call, asked);
  const issue = issueOf(call);
  const trusted = mayAct(call.repo, call, 'triage');
  if (!trusted && issue.userId !== call.user.id) throw forbidden('Must have triage access to Repository.');
  const edited: Issue = {
    ...issue,
    title: body.title == null ? issue.title : checkTitle('Issue', body.title),
    body: body.body === undefined ? issue.body : body.body && checkLength('Issue', body.body),
    labelIds: trusted && body.labels ? ensureLabels(call, body.labels) : issue.labelIds,
  };
  return ok(viewIssue(call, storeEdited(call, edited, { state: body.state, reason: body.state_reason })));
}

type StateChange = { state?: Issue['state'] | undefined; reason?: Issue['stateReason'] | undefined };

/** Stores an edited issue. If nothing changed, `updated_at` does not change. */
export function storeEdited(call: RepoCall, wanted: Issue, { state, reason }: StateChange): Issue {
  const { world, user } = call;
  const before = findIssue(call, wanted.number);
  const updatedAt = stampOf(world);
  const edited = keepVersions(before, wanted, updatedAt);
  if (state === 'closed' && before.state === 'open')
    return closeIssue(world, edited, { by: user, reason: reason ?? 'completed' });
  if (state === 'open' && before.state === 'closed') {
    touchDependents(world, listBlocked(world, before));
    return world.store.issues.put({ ...reopen(call, edited), updatedAt });
  }
  const closed = before.state === 'closed' && !edited.pull;
  const stateReason = closed ? (reason ?? before.stateReason) : before.stateReason;
  const same = isDeepStrictEqual({ ...edited, stateReason }, before);
  return same ? before : world.store.issues.put({ ...edited, stateReason, updatedAt });
}

/** Keeps earlier titles and bodies, because GraphQL returns them. */
function keepVersions(before: Issue, edited: Issue, at: string): Issue {
  const { title, body } = edited;
  const first = before.bodies ?? [{ at: before.createdAt, text: before.body }];
  return {
    ...edited,
    ...(body !== before.body && { bodies: [...first, { at, text: body }] }),
    ...(title !== before.title && {
      renames: [...(before.renames ?? []), { at, from: before.title, to: title }],
    }),
  };
}

/** Reopens an issue or pull request. A closed pull request does not follow its branch, so its head is updated. */
function reopen({ world, repo }: RepoCall, issue: Issue): Issue {
  const open = { ...issue, state: 'open', closedAt: null, closedById: null } as const;
  if (!issue.pull) return { ...open, stateReason: 'reopened' };
  const { headRef, baseRef, headSha, baseSha } = issue.pull;
  const { branch } = world.gitRepo(repo);
  const heads = { headSha: branch(headRef) ?? headSha, baseSha: branch(baseRef) ?? baseSha };
  return { ...open, stateReason: null, pull: { ...issue.pull, ...heads } };
}
