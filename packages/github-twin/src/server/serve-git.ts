import { ApiError } from '../basics/api-error.js';
import { findRepo } from '../domain/permissions.js';
import { syncRefs } from '../domain/sync-refs.js';
import { pick } from '../faults/faults.js';
import { runHttpBackend } from '../git/http-backend.js';
import { type Exchange, readBytes, type Visit } from '../http/exchange.js';
import { parseGitPath } from '../http/git-path.js';
import type { Wire } from '../http/send.js';
import type { Repo } from '../store/rows.js';
import type { World } from '../world/world.js';
import { type Ended, serveVisit } from './serve-visit.js';

type GitRequest = { exchange: Exchange; visit: Visit; route: string; body: Buffer };

/** Clone, fetch and push, answered by git itself; around a push the refs are compared and its consequences drawn. */
export async function serveGit(world: World, exchange: Exchange): Promise<void> {
  const { owner, name, service } = parseGitPath(exchange.path);
  exchange.visit = { ...exchange.visit, via: 'git', route: routeOf(exchange, service, 0) };
  // Read whole before anything is locked or started: a client that stalls or dies keeps nobody waiting.
  const body = await readBytes(exchange.request);
  const route = routeOf(exchange, service, body.length);
  await serveVisit(world, exchange, {
    via: 'git',
    route,
    repo: `${owner}/${name}`,
    answer: async (visit) => {
      const repo = admit(world, { route, visit }, { owner, repo: name });
      const request = { exchange, visit, route, body };
      const answer =
        service === 'git-receive-pack' ? push(world, repo, request) : fetch(world, repo, request);
      const wire = await answer;
      return exchange.response.destroyed ? { ended: 'client-gone' } : wire;
    },
    refuse,
    complete: (_visit, reply) => reply,
  });
}

/** A large push first asks with an empty request whether it may; only the real one is a push. */
function routeOf({ query }: Exchange, service: string, length: number): string {
  if (service === 'info/refs')
    return query.get('service') === 'git-receive-pack' ? 'GIT push-refs' : 'GIT fetch-refs';
  if (service === 'git-upload-pack') return 'GIT fetch';
  return length === 4 ? 'GIT push-probe' : 'GIT push';
}

export const GIT_ROUTES = ['GIT push', 'GIT push-refs', 'GIT push-probe', 'GIT fetch', 'GIT fetch-refs'];

function admit(
  world: World,
  { route, visit: { identity } }: Pick<GitRequest, 'route' | 'visit'>,
  name: { owner: string; repo: string },
): Repo {
  const visitor = { user: identity?.user ?? null, token: identity?.token ?? null };
  const push = route.startsWith('GIT push');
  if (!identity && push) throw new ApiError(401, 'Authentication required');
  try {
    const repo = findRepo(world, name, visitor, push ? 'write' : 'read');
    if (push && repo.archived) throw new ApiError(403, 'This repository was archived so it is read-only.');
    return repo;
  } catch (error) {
    // Git asks for credentials when it is told 401, so an anonymous reader of a hidden repository is asked.
    if (!identity && error instanceof ApiError && error.status === 404)
      throw new ApiError(401, 'Repository not found.');
    throw error;
  }
}

function backend(world: World, repo: Repo, { exchange, visit, body }: GitRequest) {
  return {
    request: exchange.request,
    body,
    root: `${world.root}/repos`,
    pathInfo: `/${repo.id}.git/${parseGitPath(exchange.path).service}`,
    search: exchange.query.toString(),
    user: visit.identity?.user.login ?? 'anonymous',
  };
}

function fetch(world: World, repo: Repo, request: GitRequest): Promise<Wire> {
  return runHttpBackend({ ...backend(world, repo, request), abandoned: request.exchange.gone });
}

/**
 * Pushes to one repository run one after the other, so that every moved ref has exactly one mover. A pusher who
 * went away while waiting has pushed nothing; once git has begun, it ends what it began.
 */
function push(world: World, repo: Repo, request: GitRequest): Promise<Wire | Ended> {
  return world.gitRepo(repo).lock(async () => {
    if (request.exchange.response.destroyed) return { ended: 'client-gone' };
    await syncRefs(world, repo, null);
    return receive(world, repo, request);
  });
}

async function receive(world: World, repo: Repo, request: GitRequest): Promise<Wire> {
  const gitRepo = world.gitRepo(repo);
  const { identity, armed } = request.visit;
  const [refusal] = pick(armed, 'refuse-push');
  gitRepo.pushes += 1;
  try {
    const wire = await runHttpBackend({
      ...backend(world, repo, request),
      env: {
        TWIN_PROTECTED: repo.protectedBranches.map((branch) => `refs/heads/${branch}`).join(' '),
        TWIN_NO_WORKFLOWS: identity?.token.scopes.includes('workflow') ? '' : '1',
        TWIN_REFUSE: refusal?.fault.message ?? '',
      },
    });
    await syncRefs(world, repo, identity?.user ?? null);
    return wire;
  } finally {
    gitRepo.pushes -= 1;
  }
}

function refuse(error: ApiError): Wire {
  const headers: Record<string, string> = { 'content-type': 'text/plain', ...error.headers };
  if (error.status === 401) headers['www-authenticate'] = 'Basic realm="GitHub"';
  return { status: error.status, headers, body: Buffer.from(`${error.message}\n`) };
}
