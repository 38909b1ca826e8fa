import { ApiError } from '../basics/api-error.js';
import { pick } from '../faults/faults.js';
import { type Exchange, parseJson, readText, type Visit } from '../http/exchange.js';
import { commonHeaders, etagOf, isFresh, rateHeaders } from '../http/send.js';
import { isContent } from '../limits/content-routes.js';
import { type Dispatched, dispatch } from '../rest/dispatch.js';
import type { Match, Router } from '../rest/router.js';
import type { World } from '../world/world.js';
import { type Reply, refuseInJson, serveVisit } from './serve-visit.js';

export async function serveRest(world: World, router: Router, exchange: Exchange): Promise<void> {
  const match = router.match(exchange.method, exchange.path);
  const { owner, repo } = match?.params ?? {};
  const route = match
    ? `${match.route.method} ${match.route.template}`
    : `${exchange.method} ${exchange.path}`;
  exchange.visit = { ...exchange.visit, route };
  const text = await readText(exchange.request);
  let leave = () => {};
  try {
    await serveVisit(world, exchange, {
      via: 'rest',
      route,
      repo: owner && repo ? `${owner}/${repo}` : null,
      answer: async (visit) => {
        leave = enter(world, exchange, visit);
        return toReply(await answer(world, exchange, { visit, match, text }));
      },
      refuse: refuseInJson,
      complete: (visit, reply) => complete(world, exchange, visit, reply),
    });
  } finally {
    leave();
  }
}

/** Takes a place among the user's requests that run at once; the result gives it back. */
function enter(world: World, { request, method }: Exchange, { identity, route }: Visit): () => void {
  if (!request.headers['user-agent'])
    throw new ApiError(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
    );
  if (!identity) throw new ApiError(401, 'Requires authentication');
  const kind = { write: method !== 'GET', content: isContent(route ?? '') };
  return world.limiter.enter(identity.user.id, 'core', kind);
}

function answer(
  world: World,
  { api, method, path, query, request }: Exchange,
  { visit, match, text }: { visit: Visit; match: Match | undefined; text: string },
): Promise<Dispatched> {
  const { identity, armed } = visit;
  if (!identity) throw new ApiError(401, 'Requires authentication');
  return dispatch(match, {
    world,
    api,
    method,
    path,
    query,
    body: parseJson(text),
    accept: request.headers.accept ?? '',
    ...identity,
    lagMs: Math.max(0, ...pick(armed, 'lag').map(({ fault }) => fault.seconds * 1000)),
    staleMs: Math.max(0, ...pick(armed, 'stale').map(({ fault }) => fault.seconds * 1000)),
    shift: pick(armed, 'shift').reduce((sum, { fault }) => sum + fault.by, 0),
    mergeableUnknown: pick(armed, 'mergeable-null').length > 0,
    hideUsers: pick(armed, 'null-user').length > 0,
  });
}

function toReply({ status, headers, text, body, json }: Dispatched): Reply {
  if (text)
    return { status, headers: { 'content-type': text.type, ...headers }, body: Buffer.from(text.content) };
  if (body === undefined) return { status, headers: { ...headers }, body: Buffer.alloc(0) };
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: Buffer.from(json ?? JSON.stringify(body)) };
}

/** Conditional answers, the ledger and the headers, in the order in which GitHub decides them. */
function complete(world: World, exchange: Exchange, { identity }: Visit, reply: Reply): Reply {
  const etag = exchange.method === 'GET' && reply.status === 200 ? etagOf(identity, reply.body) : undefined;
  const notModified = etag !== undefined && isFresh(exchange, etag);
  const counted = identity !== undefined && !notModified;
  if (counted) world.limiter.count(identity.user.id, 'core');
  if (notModified && identity) world.limiter.countNotModified(identity.user.id);
  const headers = {
    ...commonHeaders(world, identity),
    ...rateHeaders(world, identity, 'core'),
    ...reply.headers,
    ...(etag && { etag }),
  };
  if (notModified) return { status: 304, headers, body: Buffer.alloc(0), counted };
  return { ...reply, headers, counted };
}
