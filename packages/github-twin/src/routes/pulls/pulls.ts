import { z } from 'zod';
import { forbidden } from '../../basics/api-error.js';
import { findPull, isPull, listPulls } from '../../domain/issues.js';
import { hasPermission } from '../../domain/permissions.js';
import { refuseReopening } from '../../domain/refuse-reopening.js';
import { checkLength, checkTitle } from '../../domain/texts.js';
import { numberParam, ok, readBody, refuseUnsupportedFields } from '../../rest/call.js';
import { asSeen, listPage } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { sortRows } from '../../rest/sorting.js';
import type { PullIssue } from '../../store/rows.js';
import { viewPullSimple } from '../../views/pull.js';
import { viewRepo } from '../../views/repo.js';
import { changeState } from '../issues/issues.js';
import { createPull } from './pull-create.js';
import { viewPullFull } from './pull-full.js';

export const pullRoutes = [
  repoRoute('GET', '/pulls', 'read', listRepoPulls),
  repoRoute('POST', '/pulls', 'write', createPull),
  repoRoute('GET', '/pulls/{pull_number}', 'read', (call) => viewPullFull(call, pullOf(call))),
  repoRoute('PATCH', '/pulls/{pull_number}', 'read', updatePull),
];

export function pullOf(call: RepoCall): PullIssue {
  return findPull(call.world, call.repo, numberParam(call, 'pull_number'));
}

function listRepoPulls(call: RepoCall) {
  const { query, world, repo } = call;
  const state = query.get('state') ?? 'open';
  const base = query.get('base');
  const head = query.get('head');
  const seen = asSeen(call, world.store.issues, listPulls(world, repo)).filter(isPull);
  const matching = seen.filter(
    (issue) =>
      (state === 'all' || issue.state === state) &&
      (base === null || issue.pull.baseRef === base) &&
      // Without an owner, GitHub ignores the filter and lists everything.
      (head === null || !head.includes(':') || head === `${repo.owner}:${issue.pull.headRef}`),
  );
  const newestFirst = ['created', null].includes(query.get('sort'));
  const order = { sort: 'created', direction: newestFirst ? 'desc' : 'asc' };
  const view = viewRepo(call, repo);
  return listPage(call, sortRows(matching, query, order), (issue) => viewPullSimple(call, repo, issue, view));
}

async function updatePull(call: RepoCall) {
  const { repo, user } = call;
  const asked = pullOf(call);
  if (asked.userId !== user.id && !hasPermission(repo, user, 'triage'))
    throw forbidden('Must have triage access to Repository.');
  refuseUnsupportedFields(call.body, ['base', 'maintainer_can_modify']);
  const body = readBody(call, {
    title: z.string().optional(),
    body: z.string().nullish(),
    state: z.enum(['open', 'closed']).optional(),
  });
  if (body.state === 'open' && asked.state === 'closed') await refuseReopening(call, asked);
  const issue = pullOf(call);
  const edited: PullIssue = {
    ...issue,
    title: body.title === undefined ? issue.title : checkTitle('PullRequest', body.title),
    body: body.body == null ? issue.body : checkLength('PullRequest', body.body),
  };
  const changed = changeState(call, issue, edited, body);
  return isPull(changed) ? viewPullFull(call, changed) : ok(viewPullSimple(call, repo, edited));
}
