import { ApiError } from '../basics/api-error.js';
import { findRepo, fullName } from '../domain/permissions.js';
import { freshRefs } from '../domain/sync-refs.js';
import type { Refs } from '../git/refs.js';
import type { Permission, Repo } from '../store/rows.js';
import { type Answer, type Call, param, type Route } from './call.js';

export type RepoCall = Call & { repo: Repo; refs: Refs };
type Handler = (call: RepoCall) => Answer | Promise<Answer>;

/** A route below `/repos/{owner}/{repo}`: permission is checked and the refs are fresh before it runs. */
export function repoRoute(method: string, below: string, need: Permission, handle: Handler): Route {
  return {
    method,
    template: `/repos/{owner}/{repo}${below}`,
    handle: async (call) => {
      const name = { owner: param(call, 'owner'), repo: param(call, 'repo') };
      const seen = findRepo(call.world, name, call, 'read');
      if (!isNamed(seen, name)) return redirect(call, seen);
      const repo = need === 'read' ? seen : findRepo(call.world, name, call, need);
      if (method !== 'GET' && repo.archived)
        throw new ApiError(403, 'Repository was archived so is read-only.');
      const refs = await freshRefs(call.world, repo);
      return handle({ ...call, repo: call.world.store.repos.get(repo.id) ?? repo, refs });
    },
  };
}

function isNamed(repo: Repo, name: { owner: string; repo: string }): boolean {
  return fullName(repo).toLowerCase() === `${name.owner}/${name.repo}`.toLowerCase();
}

/** A renamed repository is found again by its id; a write keeps its method and body on the way. */
function redirect(call: Call, repo: Repo): Answer {
  const below = call.path.replace(/^\/repos\/[^/]+\/[^/]+/, '');
  const query = call.query.size > 0 ? `?${call.query}` : '';
  const url = `${call.api}/repositories/${repo.id}${below}${query}`;
  const [status, message] =
    call.method === 'GET' ? ([301, 'Moved Permanently'] as const) : ([307, 'Temporary Redirect'] as const);
  const body = { message, url, documentation_url: 'https://docs.github.com/rest#http-redirects' };
  return { status, body, headers: { location: url } };
}
