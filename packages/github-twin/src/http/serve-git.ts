import { ApiError } from '../api-error.js';
import { findRepo } from '../domain/permissions.js';
import { syncRefs } from '../domain/sync-refs.js';
import { type Armed, pick } from '../faults/faults.js';
import { runHttpBackend } from '../git/http-backend.js';
import { actingAs } from '../history.js';
import type { Repo } from '../store/rows.js';
import type { World } from '../world.js';
import { applyAfter, applyBefore, type Verdict } from './apply-faults.js';
import type { Exchange } from './exchange.js';
import { parseGitPath } from './git-path.js';
import { type Identity, identify } from './identify.js';
import { recordRequest } from './record.js';
import { HTML, send, type Wire } from './send.js';

type Visit = {
  exchange: Exchange;
  route: string;
  service: string;
  identity: Identity | undefined;
  armed: Armed[];
};

/** Clone, fetch and push, answered by git itself; around a push the refs are compared and its consequences drawn. */
export async function serveGit(world: World, exchange: Exchange): Promise<void> {
  const { owner, name, service } = parseGitPath(exchange.path);
  const visit: Visit = {
    exchange,
    route: routeOf(exchange, service),
    service,
    identity: undefined,
    armed: [],
  };
  const requestBytes = Number(exchange.request.headers['content-length'] ?? 0);
  const end = (wire: Wire) => {
    recordRequest(world, visit, { via: 'git', requestBytes, wire });
    send(exchange, wire);
  };
  try {
    visit.identity = identify(world, exchange.request);
    const user = visit.identity?.user.login ?? null;
    visit.armed = world.faults.take({
      route: visit.route,
      path: exchange.path,
      repo: `${owner}/${name}`,
      user,
    });
    const verdict = await applyBefore(exchange, visit.armed, null);
    if (verdict.kind === 'over')
      return recordRequest(world, visit, { via: 'git', requestBytes, ended: verdict.how });
    if (verdict.kind !== 'go') return end(instead(verdict));
    const repo = admit(world, visit, { owner, repo: name });
    const wire =
      service === 'git-receive-pack' ? await push(world, repo, visit) : await fetch(world, repo, visit);
    if (!wire) return;
    const after = await applyAfter(exchange, visit.armed);
    if (after.kind === 'over')
      return recordRequest(world, visit, { via: 'git', requestBytes, ended: after.how });
    end(after.kind === 'go' ? wire : instead(after));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    end(refuse(error));
  }
}

/** A large push first asks with an empty request whether it may; only the real one is a push. */
function routeOf({ request, query }: Exchange, service: string): string {
  if (service === 'info/refs')
    return query.get('service') === 'git-receive-pack' ? 'GIT push-refs' : 'GIT fetch-refs';
  if (service === 'git-upload-pack') return 'GIT fetch';
  return request.headers['content-length'] === '4' ? 'GIT push-probe' : 'GIT push';
}

export const GIT_ROUTES = ['GIT push', 'GIT push-refs', 'GIT push-probe', 'GIT fetch', 'GIT fetch-refs'];

function admit(world: World, { route, identity }: Visit, name: { owner: string; repo: string }): Repo {
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

function backend(world: World, repo: Repo, { exchange, identity, service }: Visit) {
  const search = exchange.query.toString();
  return {
    request: exchange.request,
    root: `${world.root}/repos`,
    pathInfo: `/${repo.id}.git/${service}`,
    search,
    user: identity?.user.login ?? 'anonymous',
  };
}

/** Streams; a clone can be large. What a fault wants afterwards is decided when git has nothing more to say. */
async function fetch(world: World, repo: Repo, visit: Visit): Promise<Wire | undefined> {
  const buffered = visit.armed.length > 0;
  const wire: Wire = { status: 500, headers: {}, body: Buffer.alloc(0) };
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { response } = visit.exchange;
  await runHttpBackend({
    ...backend(world, repo, visit),
    onHead: (status, headers) => {
      Object.assign(wire, { status, headers });
      if (!buffered) response.writeHead(status, headers);
    },
    onData: (chunk) => {
      bytes += chunk.length;
      if (buffered) chunks.push(chunk);
      else response.write(chunk);
    },
  });
  if (buffered || !response.headersSent) return { ...wire, body: Buffer.concat(chunks) };
  const requestBytes = Number(visit.exchange.request.headers['content-length'] ?? 0);
  recordRequest(world, visit, {
    via: 'git',
    requestBytes,
    wire: { status: wire.status, body: { length: bytes } },
  });
  response.end();
  return undefined;
}

/** Pushes to one repository run one after the other, so that every moved ref has exactly one mover. */
async function push(world: World, repo: Repo, visit: Visit): Promise<Wire> {
  const depot = world.depot(repo);
  const [refusal] = pick(visit.armed, 'refuse-push');
  const wire: Wire = { status: 500, headers: {}, body: Buffer.alloc(0) };
  const chunks: Buffer[] = [];
  await depot.lock(async () => {
    await syncRefs(world, repo, null);
    depot.pushes += 1;
    try {
      await runHttpBackend({
        ...backend(world, repo, visit),
        env: {
          TWIN_PROTECTED: repo.protectedBranches.map((branch) => `refs/heads/${branch}`).join(' '),
          TWIN_REFUSE: refusal?.fault.message ?? '',
        },
        onHead: (status, headers) => Object.assign(wire, { status, headers }),
        onData: (chunk) => chunks.push(chunk),
      });
    } finally {
      const by = visit.identity?.user ?? null;
      await actingAs(by?.login ?? '', () => syncRefs(world, repo, by));
      depot.pushes -= 1;
    }
  });
  return { ...wire, body: Buffer.concat(chunks) };
}

function instead(verdict: Exclude<Verdict, { kind: 'go' | 'over' }>): Wire {
  if (verdict.kind === 'answer') return refuse(verdict.error);
  return { status: verdict.status, headers: { 'content-type': 'text/html' }, body: Buffer.from(HTML) };
}

function refuse(error: ApiError): Wire {
  const headers: Record<string, string> = { 'content-type': 'text/plain', ...error.headers };
  if (error.status === 401) headers['www-authenticate'] = 'Basic realm="GitHub"';
  return { status: error.status, headers, body: Buffer.from(`${error.message}\n`) };
}
