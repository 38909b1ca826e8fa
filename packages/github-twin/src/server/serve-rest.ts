import { needsOf } from '../apps/route-permissions.js';
import { hasGrant } from '../apps/use-grant.js';
import { ApiError } from '../basics/api-error.js';
import { findVersion, refuseVersion, withVersion } from '../http/api-version.js';
import { type Exchange, parseJson, readText } from '../http/exchange.js';
import { payerOf } from '../http/identify.js';
import { commonHeaders, etagOf, isFresh, JSON_TYPE } from '../http/send.js';
import { type Reply, refuseInJson, serveExchange } from '../http/serve-exchange.js';
import { distortionOf } from '../rest/call.js';
import { type Dispatched, dispatch } from '../rest/dispatch.js';
import type { Match, Router } from '../rest/router.js';

export async function serveRest(exchange: Exchange, router: Router): Promise<void> {
  const match = router.match(exchange.method, exchange.path);
  const { owner, repo } = match?.params ?? {};
  exchange.route = `${exchange.method} ${match?.route.template ?? exchange.path}`;
  const text = await readText(exchange.request);
  let leave = () => {};
  try {
    await serveExchange(exchange, {
      repo: owner && repo ? `${owner}/${repo}` : null,
      auth: match?.route.auth,
      answer: async () => {
        leave = enter(exchange);
        refuseVersion(exchange);
        notePermission(exchange, match);
        return toReply(await answer(exchange, match, text));
      },
      refuse: refuseInJson,
      complete: (reply) =>
        complete(exchange, { ...reply, headers: { ...describeNeeds(exchange, match), ...reply.headers } }),
    });
  } finally {
    leave();
  }
}

/** Notes the permission that an App's token uses. The route refuses a token without it. */
function notePermission({ identity, permissions, method }: Exchange, match: Match | undefined): void {
  const access = identity?.access;
  const needs = match && needsOf(method, match.route.template);
  const used = access && needs?.find((need) => hasGrant(access, need));
  if (used) permissions.push(used);
}

/** As GitHub does, tells an App which permissions the route accepts. */
function describeNeeds({ identity, method }: Exchange, match: Match | undefined): Record<string, string> {
  if (!identity?.access || !match) return {};
  const needs = needsOf(method, match.route.template)?.join('; ');
  return { 'x-accepted-github-permissions': needs ?? 'allows_permissionless_access=true' };
}

/** Counts the request towards the account's limits. The returned function marks the request as finished. */
function enter({ world, request, method, identity, route }: Exchange): () => void {
  if (!request.headers['user-agent'])
    throw new ApiError(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
    );
  if (!identity) throw new ApiError(401, 'Requires authentication');
  const payer = payerOf(world, identity);
  if (!payer) return () => {};
  const asked = { payer, resource: 'core', write: method !== 'GET' } as const;
  return world.limiter.enter({ ...asked, route: route ?? '' });
}

function answer(exchange: Exchange, match: Match | undefined, text: string): Promise<Dispatched> {
  const { world, api, method, path, query, request, identity, armed } = exchange;
  if (!identity) throw new ApiError(401, 'Requires authentication');
  const accept = request.headers.accept ?? '';
  const apiVersion = findVersion(exchange)?.name;
  const asked = { world, api, method, path, query, accept, apiVersion, body: parseJson(text) };
  return dispatch(match, { ...asked, ...identity, ...distortionOf(armed) });
}

function toReply({ status, headers, text, json }: Dispatched): Reply {
  const type = text ? { 'content-type': text.type } : json === undefined ? {} : JSON_TYPE;
  return { status, headers: { ...type, ...headers }, body: Buffer.from(text?.content ?? json ?? '') };
}

/** Decides whether to send 304, counts the request and adds headers, in GitHub's order. */
function complete(exchange: Exchange, reply: Reply): Reply {
  const { world, identity, method } = exchange;
  const etag = method === 'GET' && reply.status === 200 ? etagOf(exchange, reply.body) : undefined;
  const notModified = etag !== undefined && isFresh(exchange, etag);
  const payer = notModified || !identity ? undefined : payerOf(world, identity);
  const counted = payer !== undefined;
  if (payer) world.limiter.count(payer, 'core');
  const tag = etag ?? (reply.status === 201 ? etagOf(exchange, reply.body).replace(/^W\//, '') : undefined);
  const known = { ...commonHeaders(exchange, 'core'), ...reply.headers, ...(tag && { etag: tag }) };
  const headers = withVersion(exchange, known);
  return notModified
    ? { status: 304, headers, body: Buffer.alloc(0), counted }
    : { ...reply, headers, counted };
}
