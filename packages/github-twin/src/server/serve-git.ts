import { ApiError } from '../basics/api-error.js';
import { findRepo } from '../domain/permissions.js';
import { syncRefs } from '../domain/sync-refs.js';
import { type Armed, pick } from '../faults/faults.js';
import { runHttpBackend } from '../git/http-backend.js';
import { applyAfter, applyBefore, type Verdict } from '../http/apply-faults.js';
import type { Exchange } from '../http/exchange.js';
import { parseGitPath } from '../http/git-path.js';
import { type Identity, identify } from '../http/identify.js';
import { recordRequest } from '../http/record.js';
import { HTML, send, type Wire } from '../http/send.js';
import { type Spool, spoolBody } from '../http/spool.js';
import type { Repo } from '../store/rows.js';
import type { World } from '../world/world.js';

type Visit = {
  exchange: Exchange;
  via: 'git';
  route: string;
  service: string;
  body: Spool;
  identity: Identity | undefined;
  armed: Armed[];
};
type End = { wire: Wire } | { ended: 'dropped' | 'client-gone' };

/** Clone, fetch and push, answered by git itself; around a push the refs are compared and its consequences drawn. */
export async function serveGit(world: World, exchange: Exchange): Promise<void> {
  const { service } = parseGitPath(exchange.path);
  const body = await spoolBody(exchange.request, world.root);
  const route = routeOf(exchange, service, body?.length ?? 0);
  exchange.visit = { via: 'git', route, identity: undefined, armed: [] };
  if (!body) return recordRequest(world, exchange, { requestBytes: 0, ended: 'client-gone' });
  const visit: Visit = { exchange, via: 'git', route, service, body, identity: undefined, armed: [] };
  exchange.visit = visit;
  try {
    const end = await answerUnderFaults(world, visit);
    if (end) finish(world, visit, end);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    finish(world, visit, { wire: refuse(error) });
  } finally {
    await body.close();
  }
}

/** Undefined when the answer was streamed and has ended already. */
async function answerUnderFaults(world: World, visit: Visit): Promise<End | undefined> {
  const { exchange, route, service } = visit;
  const { owner, name } = parseGitPath(exchange.path);
  visit.identity = identify(world, exchange.request);
  const user = visit.identity?.user.login ?? null;
  visit.armed = world.faults.take({ route, path: exchange.path, repo: `${owner}/${name}`, user });
  const before = await applyBefore(exchange, visit.armed);
  if (before.kind === 'over') return { ended: before.how };
  if (before.kind !== 'go') return { wire: instead(before) };
  const repo = admit(world, visit, { owner, repo: name });
  const end =
    service === 'git-receive-pack' ? await push(world, repo, visit) : await fetch(world, repo, visit);
  if (!end || 'ended' in end) return end;
  const after = await applyAfter(exchange, visit.armed);
  if (after.kind === 'over') return { ended: after.how };
  return after.kind === 'go' ? end : { wire: instead(after) };
}

function finish(world: World, visit: Visit, end: End): void {
  const told: End = visit.exchange.response.destroyed && 'wire' in end ? { ended: 'client-gone' } : end;
  recordRequest(world, visit.exchange, { requestBytes: visit.body.length, ...told });
  if ('wire' in told) send(visit.exchange, told.wire);
}

/** A large push first asks with an empty request whether it may; only the real one is a push. */
function routeOf({ query }: Exchange, service: string, length: number): string {
  if (service === 'info/refs')
    return query.get('service') === 'git-receive-pack' ? 'GIT push-refs' : 'GIT fetch-refs';
  if (service === 'git-upload-pack') return 'GIT fetch';
  return length === 4 ? 'GIT push-probe' : 'GIT push';
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

function backend(world: World, repo: Repo, { exchange, identity, service, body }: Visit) {
  const search = exchange.query.toString();
  return {
    request: exchange.request,
    body,
    root: `${world.root}/repos`,
    pathInfo: `/${repo.id}.git/${service}`,
    search,
    user: identity?.user.login ?? 'anonymous',
  };
}

/** Streams; a clone can be large. What a fault wants afterwards is decided when git has nothing more to say. */
async function fetch(world: World, repo: Repo, visit: Visit): Promise<End | undefined> {
  const buffered = visit.armed.length > 0;
  const wire: Wire = { status: 500, headers: {}, body: Buffer.alloc(0) };
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { response, gone } = visit.exchange;
  await runHttpBackend({
    ...backend(world, repo, visit),
    abandoned: gone,
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
  if (response.destroyed) return { ended: 'client-gone' };
  if (buffered || !response.headersSent) return { wire: { ...wire, body: Buffer.concat(chunks) } };
  recordRequest(world, visit.exchange, {
    requestBytes: visit.body.length,
    wire: { status: wire.status, body: { length: bytes } },
  });
  response.end();
  return undefined;
}

/**
 * Pushes to one repository run one after the other, so that every moved ref has exactly one mover. A pusher who
 * went away while waiting has pushed nothing; once git has begun, it ends what it began.
 */
function push(world: World, repo: Repo, visit: Visit): Promise<End> {
  return world.gitRepo(repo).lock(async () => {
    if (visit.exchange.response.destroyed) return { ended: 'client-gone' };
    await syncRefs(world, repo, null);
    return { wire: await receive(world, repo, visit) };
  });
}

async function receive(world: World, repo: Repo, visit: Visit): Promise<Wire> {
  const gitRepo = world.gitRepo(repo);
  const [refusal] = pick(visit.armed, 'refuse-push');
  const wire: Wire = { status: 500, headers: {}, body: Buffer.alloc(0) };
  const chunks: Buffer[] = [];
  gitRepo.pushes += 1;
  try {
    await runHttpBackend({
      ...backend(world, repo, visit),
      env: {
        TWIN_PROTECTED: repo.protectedBranches.map((branch) => `refs/heads/${branch}`).join(' '),
        TWIN_NO_WORKFLOWS: visit.identity?.token.scopes.includes('workflow') ? '' : '1',
        TWIN_REFUSE: refusal?.fault.message ?? '',
      },
      onHead: (status, headers) => Object.assign(wire, { status, headers }),
      onData: (chunk) => chunks.push(chunk),
    });
    await syncRefs(world, repo, visit.identity?.user ?? null);
  } finally {
    gitRepo.pushes -= 1;
  }
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
