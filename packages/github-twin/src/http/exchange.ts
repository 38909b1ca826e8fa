import { ApiError } from '../basics/api-error.js';
import type { Armed } from '../faults/faults.js';
import type { World } from '../world/world.js';
import type { Identity } from './identify.js';
import type { Incoming, Outgoing } from './messages.js';

/** One HTTP request. `path` is normalized: it has no `/api/v3` prefix, and repository names instead of ids. */
export type Exchange = {
  world: World;
  request: Incoming;
  response: Outgoing;
  method: string;
  path: string;
  query: URLSearchParams;
  /** The base of all API URLs in responses. */
  api: string;
  via: 'rest' | 'graphql' | 'git';
  arrivedAtMs: number;
  route: string | null;
  identity: Identity | undefined;
  armed: Armed[];
  /** The permissions that an App's token used, such as `issues=write`. */
  permissions: string[];
  /** True if the history has an entry for this request. */
  recorded: boolean;
  /** Resolves if the client disconnects before the response is sent. */
  gone: Promise<void>;
};

const LARGEST_BODY = 10 * 1024 * 1024;

/** Returns undefined if the URL is invalid. */
export function openExchange(world: World, request: Incoming, response: Outgoing): Exchange | undefined {
  // A client that uses the twin as a proxy sends a full URL instead of a path.
  const address = request.url ?? '/';
  if (!URL.canParse(address, world.url)) return undefined;
  const url = new URL(address, world.url);
  const prefix = /^\/api\/v3(?=\/|$)/.test(url.pathname) ? '/api/v3' : '';
  const gone = new Promise<void>((resolve) => {
    response.once('close', () => {
      if (!response.writableFinished) resolve();
    });
  });
  return {
    world,
    request,
    response,
    // HEAD is handled as GET, because node:http omits the body of a HEAD response.
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET'),
    path: byName(world, url.pathname.slice(prefix.length) || '/'),
    query: url.searchParams,
    api: `${originOf(world, request)}${prefix}`,
    via: 'rest',
    arrivedAtMs: world.clock.now(),
    route: null,
    identity: undefined,
    armed: [],
    permissions: [],
    recorded: false,
    gone,
  };
}

/** Returns the base of URLs in responses. A client on the unix socket sends its token only to api.github.com. */
function originOf(world: World, { socket, headers }: Incoming): string {
  return socket.localPort === undefined && headers.host ? `https://${headers.host}` : world.url;
}

/** Replaces the repository id in paths such as `/repositories/7/issues`, which GitHub uses in its own links. */
function byName(world: World, path: string): string {
  const match = /^\/repositories\/(\d+)(\/.*)?$/.exec(path);
  const repo = match && world.store.repos.get(Number(match[1]));
  return repo ? `/repos/${repo.owner}/${repo.name}${match[2] ?? ''}` : path;
}

export type End = { counted?: boolean; status?: number; ended?: 'dropped' | 'client-gone' };

/** Records the request before responding, so that a client that got a response finds its request recorded. */
export function recordRequest(exchange: Exchange, end: End): void {
  const { via, route, identity, armed, permissions, path, query, request } = exchange;
  exchange.recorded = true;
  exchange.world.history.record({
    kind: 'request',
    via,
    user: identity?.user.login ?? null,
    token: identity?.token?.id ?? null,
    method: request.method ?? exchange.method,
    path,
    query: query.toString(),
    route,
    arrivedAt: new Date(exchange.arrivedAtMs).toISOString(),
    status: end.status ?? 0,
    counted: end.counted ?? false,
    outcome: end.ended ?? 'answered',
    permissions,
    faults: armed.map(({ fault }) => fault.kind),
  });
}

export async function readText(request: Incoming): Promise<string> {
  return (await readBytes(request, LARGEST_BODY)).toString();
}

export async function readBytes(request: Incoming, most = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= most) chunks.push(chunk);
  }
  // Throws only after reading the whole body, because clients do not read the response while they send.
  if (size > most) throw new ApiError(413, 'Payload too large');
  return Buffer.concat(chunks);
}

export function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 'Problems parsing JSON');
  }
}

/** Accepted host names. Another site can point its own host name at this machine (DNS rebinding). */
export const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;
