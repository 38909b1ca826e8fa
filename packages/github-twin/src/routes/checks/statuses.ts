import { z } from 'zod';
import { ApiError } from '../../basics/api-error.js';
import { created, ok, param, readBody } from '../../rest/call.js';
import { applyLag, pageOf, slicePage } from '../../rest/lists.js';
import { commitOf, commitOr404, type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { type Status, StatusState } from '../../store/rows.js';
import { viewSimpleStatus, viewStatus } from '../../views/checks.js';
import { repoUrl, viewMinimalRepo } from '../../views/repo.js';
import { born } from '../../world/world.js';

export const statusRoutes = [
  repoRoute('POST /statuses/{sha}', createStatus, 'write'),
  repoRoute('GET /commits/{ref}/status', combine),
];

async function createStatus(call: RepoCall) {
  const { world, repo, user } = call;
  const body = readBody(call, {
    state: StatusState,
    target_url: z.string().nullish(),
    description: z.string().nullish(),
    context: z.string().default('default'),
  });
  const { state, context, description = null, target_url: targetUrl = null } = body;
  if ((description ?? '').length > 140)
    throw new ApiError(422, 'Description is too long (maximum is 140 characters)');
  const sha = await commitOf(call, param(call, 'sha'));
  const fields = { repoId: repo.id, sha, state, context, description, targetUrl, creatorId: user.id };
  return created(viewStatus(call, world.store.statuses.put({ ...born(world), ...fields })));
}

async function combine(call: RepoCall) {
  const { statuses } = call.world.store;
  const sha = await commitOr404(call, param(call, 'ref'));
  const own = statuses.filter((row) => row.repoId === call.repo.id && row.sha === sha);
  const latest = [...new Map(applyLag(call, statuses, own).map((row) => [row.context, row])).values()];
  const url = `${repoUrl(call)}/commits/${sha}`;
  return ok({
    state: stateOf(latest),
    statuses: slicePage(latest, pageOf(call.query)).map((row) => viewSimpleStatus(call, row)),
    sha,
    total_count: latest.length,
    repository: viewMinimalRepo(call),
    commit_url: url,
    url: `${url}/status`,
  });
}

function stateOf(statuses: Status[]): string {
  if (statuses.some((row) => row.state === 'failure' || row.state === 'error')) return 'failure';
  return statuses.length === 0 || statuses.some((row) => row.state === 'pending') ? 'pending' : 'success';
}
