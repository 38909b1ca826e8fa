import { ApiError } from '../basics/api-error.js';
import { type Armed, pick } from '../faults/faults.js';
import { applyAfter, applyBefore, type Verdict } from '../http/apply-faults.js';
import { type Exchange, parseJson, readText } from '../http/exchange.js';
import { type Identity, identify } from '../http/identify.js';
import { recordRequest } from '../http/record.js';
import { commonHeaders, etagOf, HTML, isFresh, rateHeaders, send, type Wire } from '../http/send.js';
import { isContent } from '../limits/content-routes.js';
import { type Dispatched, dispatch, toAnswer } from '../rest/dispatch.js';
import type { Match, Router } from '../rest/router.js';
import type { World } from '../world/world.js';

type Visit = {
  exchange: Exchange;
  via: 'rest';
  match: Match | undefined;
  route: string;
  identity: Identity | undefined;
  armed: Armed[];
  /** Ends the request's place among those that run at once. */
  leave(): void;
};

/** The life of one REST request, from its token to its line in the history. */
export async function serveRest(world: World, router: Router, exchange: Exchange): Promise<void> {
  const match = router.match(exchange.method, exchange.path);
  const route = match
    ? `${match.route.method} ${match.route.template}`
    : `${exchange.method} ${exchange.path}`;
  const visit: Visit = {
    exchange,
    via: 'rest',
    match,
    route,
    identity: undefined,
    armed: [],
    leave: () => {},
  };
  exchange.visit = visit;
  const text = await readText(exchange.request);
  const requestBytes = Buffer.byteLength(text);
  try {
    const outcome = await answerUnderFaults(world, visit, text);
    if ('ended' in outcome) recordRequest(world, exchange, { requestBytes, ended: outcome.ended });
    else finish(world, visit, outcome, requestBytes);
  } finally {
    visit.leave();
  }
}

type Ended = { ended: 'dropped' | 'client-gone' };

async function answerUnderFaults(world: World, visit: Visit, text: string): Promise<Dispatched | Ended> {
  const { exchange, match, route } = visit;
  try {
    visit.identity = identify(world, exchange.request);
    const user = visit.identity?.user;
    visit.armed = world.faults.take({
      route,
      path: exchange.path,
      repo: repoOf(match),
      user: user?.login ?? null,
    });
    const before = await applyBefore(exchange, visit.armed);
    if (before.kind === 'over') return { ended: before.how };
    if (before.kind !== 'go') return substitute(before);
    const answer = await answerVisit(world, visit, text);
    const after = await applyAfter(exchange, visit.armed);
    if (after.kind === 'over') return { ended: after.how };
    return after.kind === 'go' ? answer : substitute(after);
  } catch (error) {
    if (error instanceof ApiError) return toAnswer(error);
    throw error;
  }
}

function repoOf(match: Match | undefined): string | null {
  const { owner, repo } = match?.params ?? {};
  return owner && repo ? `${owner}/${repo}` : null;
}

function substitute(verdict: Exclude<Verdict, { kind: 'over' | 'go' }>): Dispatched {
  if (verdict.kind === 'html')
    return { status: verdict.status, text: { type: 'text/html; charset=utf-8', content: HTML } };
  return toAnswer(verdict.error);
}

async function answerVisit(world: World, visit: Visit, text: string): Promise<Dispatched> {
  const { exchange, match, identity, armed, route } = visit;
  if (!exchange.request.headers['user-agent'])
    throw new ApiError(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
    );
  if (!identity) throw new ApiError(401, 'Requires authentication');
  const kind = { write: exchange.method !== 'GET', content: isContent(route) };
  visit.leave = world.limiter.enter(identity.user.id, 'core', kind);
  return dispatch(match, {
    world,
    api: exchange.api,
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    body: parseJson(text),
    accept: exchange.request.headers.accept ?? '',
    ...identity,
    lagMs: Math.max(0, ...pick(armed, 'lag').map(({ fault }) => fault.seconds * 1000)),
    staleMs: Math.max(0, ...pick(armed, 'stale').map(({ fault }) => fault.seconds * 1000)),
    shift: pick(armed, 'shift').reduce((sum, { fault }) => sum + fault.by, 0),
    mergeableUnknown: pick(armed, 'mergeable-null').length > 0,
    hideUsers: pick(armed, 'null-user').length > 0,
  });
}

/** Conditional answers, the ledger and the headers, in the order in which GitHub decides them. */
function finish(world: World, visit: Visit, answer: Dispatched, requestBytes: number): void {
  const { exchange, identity } = visit;
  const wire = toWire(answer);
  const etag = exchange.method === 'GET' && answer.status === 200 ? etagOf(identity, wire.body) : undefined;
  const notModified = etag !== undefined && isFresh(exchange, etag);
  const counted = identity !== undefined && !notModified;
  if (counted) world.limiter.count(identity.user.id, 'core');
  if (notModified && identity) world.limiter.countNotModified(identity.user.id);
  const headers = {
    ...commonHeaders(world, identity),
    ...rateHeaders(world, identity, 'core'),
    ...wire.headers,
    ...(etag && { etag }),
  };
  const cut =
    pick(visit.armed, 'truncated').length > 0
      ? wire.body.subarray(0, Math.ceil(wire.body.length / 2))
      : wire.body;
  const sent = {
    status: notModified ? 304 : wire.status,
    headers,
    body: notModified ? Buffer.alloc(0) : cut,
  };
  recordRequest(world, exchange, { requestBytes, counted, wire: sent });
  send(exchange, sent);
}

function toWire(answer: Dispatched): Wire {
  const headers = answer.headers ?? {};
  if (answer.text)
    return {
      status: answer.status,
      headers: { 'content-type': answer.text.type, ...headers },
      body: Buffer.from(answer.text.content),
    };
  if (answer.body === undefined) return { status: answer.status, headers, body: Buffer.alloc(0) };
  const body = Buffer.from(answer.json ?? JSON.stringify(answer.body));
  return {
    status: answer.status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body,
  };
}
