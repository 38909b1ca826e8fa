import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../basics/api-error.js';
import { pick } from '../faults/faults.js';
import { secondaryLimit } from '../limits/limiter.js';
import { type Exchange, recordRequest } from './exchange.js';
import { badCredentials, identify } from './identify.js';
import { JSON_TYPE, send, type Wire } from './send.js';

export type Reply = Wire & { counted?: boolean };
/** The request ended without a response. */
export type Ended = { ended: 'dropped' | 'client-gone' };

/** The parts of request handling that differ between REST, GraphQL and git. */
export type Service = {
  /** `owner/name`, or null if the request is not about a repository. */
  repo: string | null;
  /** `app` for routes that need an App's JSON web token. */
  auth?: 'app' | undefined;
  answer(): Promise<Reply | Ended>;
  refuse(error: ApiError): Wire;
  /** Adds the common headers, including to responses from faults. */
  complete(reply: Reply): Reply;
};

const UNICORN =
  '<!DOCTYPE html>\n<html><head><title>Unicorn!</title></head><body><p>No server is currently available.</p></body></html>\n';

/** Serves one request: checks the token, applies faults, responds, and records the request. */
export async function serveExchange(exchange: Exchange, service: Service): Promise<void> {
  const end = await answerUnderFaults(exchange, service);
  if ('ended' in end) return recordRequest(exchange, end);
  const { counted = false, ...wire } = service.complete(end);
  const truncated = pick(exchange.armed, 'truncated').length > 0;
  const body = truncated ? wire.body.subarray(0, Math.ceil(wire.body.length / 2)) : wire.body;
  const latencyMs = exchange.via === 'git' ? 0 : exchange.world.nextLatencyMs();
  if (latencyMs > 0) await delay(latencyMs);
  recordRequest(exchange, { counted, status: wire.status });
  send(exchange, { ...wire, body });
}

async function answerUnderFaults(exchange: Exchange, service: Service): Promise<Reply | Ended> {
  const { world, path, route } = exchange;
  try {
    exchange.identity = identify(world, exchange.request, service.auth);
    const user = exchange.identity?.user.login ?? null;
    exchange.armed = world.faults.match({ route: route ?? '', path, repo: service.repo, user });
    const before = await applyFaults(exchange, 'before');
    if (before) return before;
    const answer = await service.answer();
    return 'ended' in answer ? answer : ((await applyFaults(exchange, 'after')) ?? answer);
  } catch (error) {
    if (error instanceof ApiError) return service.refuse(error);
    throw error;
  }
}

/** Applies the faults of this phase. Throws or returns the replacement if a fault replaces the response. */
async function applyFaults(exchange: Exchange, when: 'before' | 'after'): Promise<Reply | Ended | undefined> {
  const { armed } = exchange;
  const now = armed.filter(({ fault }) => 'when' in fault && fault.when === when);
  const waits = [...(when === 'before' ? pick(armed, 'hold') : []), ...pick(now, 'hang')];
  for (const { wait } of waits) if (!(await wait(exchange.gone))) return { ended: 'client-gone' };
  if (pick(now, 'drop').length > 0) {
    await dropConnection(exchange);
    return { ended: 'dropped' };
  }
  const [broken] = pick(now, 'error');
  if (broken) throw new ApiError(broken.fault.status, broken.fault.message);
  const [page] = pick(now, 'html');
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  if (page) return { status: page.fault.status, headers, body: Buffer.from(UNICORN) };
  if (when === 'after') return undefined;
  if (pick(armed, 'expired-token').length > 0) throw badCredentials();
  const mintedAtMs = exchange.identity?.token?.installation?.mintedAtMs ?? Number.NEGATIVE_INFINITY;
  const ageMs = exchange.world.clock.now() - mintedAtMs;
  if (pick(armed, 'token-lag').some(({ fault }) => ageMs < fault.seconds * 1000)) throw badCredentials();
  const [secondary] = pick(armed, 'secondary-limit');
  if (secondary) throw secondaryLimit(secondary.fault.status, secondary.fault.retryAfterSeconds);
  return undefined;
}

/**
 * Drops the connection. For git, sends a partial response first, because git's HTTP library silently retries if a
 * kept-alive connection closes without a byte.
 */
async function dropConnection({ request, response, via }: Exchange): Promise<void> {
  if (via === 'git') {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': '65536' });
    await new Promise<void>((resolve) => response.write('0', resolve));
  }
  request.socket.destroy();
}

/** Renders an API error as JSON. */
export function refuseInJson({ status, headers, body }: ApiError): Wire {
  return { status, headers: { ...JSON_TYPE, ...headers }, body: Buffer.from(JSON.stringify(body)) };
}
