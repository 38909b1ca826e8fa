import { GIT_NEEDS } from '../apps/route-permissions.js';
import { hasGrant, useGrant } from '../apps/use-grant.js';
import { ApiError } from '../basics/api-error.js';
import { findRepo } from '../domain/permissions.js';
import { syncRefs } from '../domain/sync-refs.js';
import { pick } from '../faults/faults.js';
import { runHttpBackend } from '../git/http-backend.js';
import { type Exchange, readBytes } from '../http/exchange.js';
import type { Identity } from '../http/identify.js';
import type { Wire } from '../http/send.js';
import { type Ended, serveExchange } from '../http/serve-exchange.js';
import type { Repo } from '../store/rows.js';

export const GIT_ROUTES = ['GIT push', 'GIT push-refs', 'GIT push-probe', 'GIT fetch', 'GIT fetch-refs'];

const PATH = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

export const isGitPath = (path: string) => PATH.test(path);

type GitRequest = { exchange: Exchange; repo: Repo; service: string; body: Buffer };

/** Serves clones, fetches and pushes through git, and updates pull requests after a push. */
export async function serveGit(exchange: Exchange): Promise<void> {
  const [, owner, name, service = ''] = PATH.exec(exchange.path) ?? [];
  Object.assign(exchange, { via: 'git', route: routeOf(exchange, service, 0) });
  // Reads the whole body before locking the repository, so that a stalled client does not block others.
  const body = await readBytes(exchange.request);
  exchange.route = routeOf(exchange, service, body.length);
  await serveExchange(exchange, {
    repo: `${owner}/${name}`,
    answer: async () => {
      const repo = admit(exchange, `${owner}/${name}`);
      const request = { exchange, repo, service, body };
      const wire = await (service === 'git-receive-pack' ? push(request) : runBackend(request));
      return exchange.response.destroyed ? { ended: 'client-gone' } : wire;
    },
    refuse,
    complete: (reply) => reply,
  });
}

/** Returns the route of a request. Before a large push, git sends an empty probe, which must not count as a push. */
function routeOf({ query }: Exchange, service: string, length: number): string {
  if (service === 'info/refs')
    return query.get('service') === 'git-receive-pack' ? 'GIT push-refs' : 'GIT fetch-refs';
  if (service === 'git-upload-pack') return 'GIT fetch';
  return length === 4 ? 'GIT push-probe' : 'GIT push';
}

function admit(exchange: Exchange, name: string): Repo {
  const { world, identity, route } = exchange;
  const { user = null, token = null, access = null } = identity ?? {};
  const visitor = { world, user, token, access };
  const push = route?.startsWith('GIT push') ?? false;
  if (!identity && push) throw new ApiError(401, 'Authentication required');
  try {
    const repo = findRepo(visitor, name, push ? 'write' : 'read');
    if (access && (repo.private || access.repoIds.includes(repo.id)))
      exchange.permissions.push(useGrant(access, [push ? GIT_NEEDS.push : GIT_NEEDS.fetch]));
    if (push && repo.archived) throw new ApiError(403, 'This repository was archived so it is read-only.');
    return repo;
  } catch (error) {
    // The status is 401, because git then asks for credentials and an anonymous reader can log in.
    if (!identity && error instanceof ApiError && error.status === 404)
      throw new ApiError(401, 'Repository not found.');
    throw error;
  }
}

/** Runs git. If the client disconnects, a fetch is stopped, but a started push is completed. */
function runBackend(request: GitRequest, env?: Record<string, string>): Promise<Wire> {
  const { exchange, repo, service, body } = request;
  return runHttpBackend({
    request: exchange.request,
    body,
    root: `${exchange.world.root}/repos`,
    pathInfo: `/${repo.id}.git/${service}`,
    search: exchange.query.toString(),
    user: exchange.identity?.user.login ?? 'anonymous',
    ...(env ? { env } : { abandoned: exchange.gone }),
  });
}

/**
 * Runs pushes to a repository one at a time, so that each ref change has exactly one author. If the client disconnects
 * while the push waits, the push has no effect.
 */
function push(request: GitRequest): Promise<Wire | Ended> {
  const { exchange, repo } = request;
  const { world, identity } = exchange;
  return world.gitRepo(repo).lock(async () => {
    if (exchange.response.destroyed) return { ended: 'client-gone' };
    await syncRefs({ world, repo }, null);
    const wire = await runBackend(request, {
      TWIN_PROTECTED: repo.protectedBranches.map((branch) => `refs/heads/${branch}`).join(' '),
      TWIN_NO_WORKFLOWS: refuseWorkflows(identity),
      TWIN_REFUSE: pick(exchange.armed, 'refuse-push')[0]?.fault.message ?? '',
    });
    await syncRefs({ world, repo }, identity?.user ?? null);
    return wire;
  });
}

/** Returns what the hook says about a pushed workflow, or nothing if the token may push workflows. */
function refuseWorkflows(identity: Identity | undefined): string {
  const { access, token } = identity ?? {};
  if (access ? hasGrant(access, 'workflows=write') : token?.scopes.includes('workflow')) return '';
  return access ? 'GitHub App|`workflows` permission' : 'Personal Access Token|`workflow` scope';
}

function refuse(error: ApiError): Wire {
  const headers: Record<string, string> = { 'content-type': 'text/plain', ...error.headers };
  if (error.status === 401) headers['www-authenticate'] = 'Basic realm="GitHub"';
  return { status: error.status, headers, body: Buffer.from(`${error.message}\n`) };
}
