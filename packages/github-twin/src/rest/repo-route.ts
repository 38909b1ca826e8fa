import { needsOf } from '../apps/route-permissions.js';
import { useGrant } from '../apps/use-grant.js';
import { ApiError, notFound } from '../basics/api-error.js';
import { findRepo, fullName } from '../domain/permissions.js';
import type { Permission, Repo } from '../store/rows.js';
import { type Answer, type Call, type Handler, param, type Route } from './call.js';

export type RepoCall = Call & { repo: Repo };

/** Creates a route below `/repos/{owner}/{repo}`, such as `GET /issues`. Checks permissions before the handler. */
export function repoRoute(route: string, handle: Handler<RepoCall>, need: Permission = 'read'): Route {
  const [method = '', below = ''] = route.split(' ');
  return {
    method,
    template: `/repos/{owner}/{repo}${below}`,
    handle: (call) => {
      const name = `${param(call, 'owner')}/${param(call, 'repo')}`;
      const seen = findRepo(call, name);
      if (fullName(seen).toLowerCase() !== name.toLowerCase()) return redirect(call, seen);
      const repo = findRepo(call, name, need);
      checkGrant(call, repo);
      if (method !== 'GET' && repo.archived)
        throw new ApiError(403, 'Repository was archived so is read-only.');
      return handle({ ...call, repo });
    },
  };
}

/** Throws if an App lacks the permission that the route needs. Everybody may read public repositories. */
function checkGrant({ access, method, template }: Call, repo: Repo): void {
  const needs = needsOf(method, template);
  if (!needs) throw new Error(`${method} ${template} has no permission in route-permissions.ts`);
  if (access && (repo.private || access.repoIds.includes(repo.id))) useGrant(access, needs);
}

/** Redirects a request for a former name to the repository's id. Status 307 keeps the method and body of a write. */
function redirect(call: Call, repo: Repo): Answer {
  const query = call.query.size > 0 ? `?${call.query}` : '';
  const url = `${call.api}${byRepositoryId(call.path, repo)}${query}`;
  const status = call.method === 'GET' ? 301 : 307;
  const documentation_url = 'https://docs.github.com/rest#http-redirects';
  // As recorded, the message is the same for both.
  const body = { message: 'Moved Permanently', url, documentation_url };
  return { status, body, headers: { location: url } };
}

/** Converts a path to the id-based form that GitHub uses in its own links. */
export const byRepositoryId = (path: string, { id }: Repo) =>
  path.replace(/^\/repos\/[^/]+\/[^/]+/, `/repositories/${id}`);

/** Finds the commit of a branch, tag or sha. Known refs need no git process. */
export async function commitOf({ world, repo }: RepoCall, name: string): Promise<string> {
  const gitRepo = world.gitRepo(repo);
  const tag = `refs/tags/${name.replace(/^(?:refs\/)?tags\//, '')}`;
  const known = gitRepo.branch(name.replace(/^(?:refs\/)?heads\//, '')) ?? gitRepo.refs()[tag];
  const sha = known ?? (await gitRepo.resolve(name));
  if (sha === undefined) throw new ApiError(422, `No commit found for SHA: ${name}`);
  return sha;
}

/** Resolves a name to a commit. The name may include the owner, as in `acme:topic`. Throws 404 for an unknown name. */
export function commitOr404(call: RepoCall, name: string): Promise<string> {
  const owner = `${call.repo.owner}:`;
  return commitOf(call, name.startsWith(owner) ? name.slice(owner.length) : name).catch(() => {
    throw notFound();
  });
}
