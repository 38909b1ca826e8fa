import { ApiError } from '../api-error.js';
import { findRepo } from '../domain/permissions.js';
import { freshRefs } from '../domain/sync-refs.js';
import type { Refs } from '../git/refs.js';
import { type Answer, type Call, param, type Route } from '../http/call.js';
import type { Permission, Repo } from '../store/rows.js';

export type RepoCall = Call & { repo: Repo; refs: Refs };
type Handler = (call: RepoCall) => Answer | Promise<Answer>;

/** A route below `/repos/{owner}/{repo}`: permission is checked and the refs are fresh before it runs. */
export function repoRoute(method: string, below: string, need: Permission, handle: Handler): Route {
  return {
    method,
    template: `/repos/{owner}/{repo}${below}`,
    handle: async (call) => {
      const name = { owner: param(call, 'owner'), repo: param(call, 'repo') };
      const repo = findRepo(call.world, name, call, need);
      if (method !== 'GET' && repo.archived)
        throw new ApiError(403, 'Repository was archived so is read-only.');
      const refs = await freshRefs(call.world, repo);
      return handle({ ...call, repo: call.world.store.repos.get(repo.id) ?? repo, refs });
    },
  };
}
