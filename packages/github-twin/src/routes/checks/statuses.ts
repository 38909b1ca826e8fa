import { z } from 'zod';
import { ApiError } from '../../basics/api-error.js';
import { created, ok, param, readBody } from '../../rest/call.js';
import { commitOf, commitOr404 } from '../../rest/find-commit.js';
import { asSeen, pageOf } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import type { Status } from '../../store/check-rows.js';
import { viewSimpleStatus, viewStatus } from '../../views/checks.js';
import { repoUrl, viewMinimalRepo } from '../../views/repo.js';

export const statusRoutes = [
  repoRoute('POST', '/statuses/{sha}', 'write', createStatus),
  repoRoute('GET', '/commits/{ref}/status', 'read', combine),
];

function statusesOf({ world, repo }: RepoCall, sha: string): Status[] {
  return world.store.statuses.filter((row) => row.repoId === repo.id && row.sha === sha);
}

async function createStatus(call: RepoCall) {
  const { world, repo, user } = call;
  const body = readBody(call, {
    state: z.enum(['error', 'failure', 'pending', 'success']),
    target_url: z.string().nullish(),
    description: z.string().nullish(),
    context: z.string().default('default'),
  });
  if ((body.description ?? '').length > 140)
    throw new ApiError(422, 'Description is too long (maximum is 140 characters)');
  const sha = await commitOf(call, param(call, 'sha'));
  const status = world.store.statuses.put({
    id: world.store.nextId(),
    repoId: repo.id,
    sha,
    state: body.state,
    context: body.context,
    description: body.description ?? null,
    targetUrl: body.target_url ?? null,
    creatorId: user.id,
    createdAt: world.stamp(),
    bornMs: world.clock.now(),
  });
  return created(viewStatus(call, repo, status));
}

async function combine(call: RepoCall) {
  const { repo } = call;
  const sha = await commitOr404(call, param(call, 'ref'));
  const known = asSeen(call, call.world.store.statuses, statusesOf(call, sha));
  const latest = [...new Map(known.map((row) => [row.context, row])).values()];
  const page = pageOf(call.query);
  const shown = latest.slice((page.number - 1) * page.size, page.number * page.size);
  const url = `${repoUrl(call, repo)}/commits/${sha}`;
  return ok({
    state: stateOf(latest),
    statuses: shown.map((row) => viewSimpleStatus(call, repo, row)),
    sha,
    total_count: latest.length,
    repository: viewMinimalRepo(call, repo),
    commit_url: url,
    url: `${url}/status`,
  });
}

function stateOf(statuses: Status[]): string {
  if (statuses.some((row) => row.state === 'failure' || row.state === 'error')) return 'failure';
  return statuses.length === 0 || statuses.some((row) => row.state === 'pending') ? 'pending' : 'success';
}
