import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../basics/api-error.js';
import type { Armed } from '../faults/faults.js';
import type { World } from '../world/world.js';
import type { Identity } from './identify.js';

/** Who asked for what, and under which faults. */
export type Visit = {
  via: 'rest' | 'graphql' | 'git';
  route: string | null;
  identity: Identity | undefined;
  armed: Armed[];
};

/** One HTTP request on its way. `path` is normalised: without `/api/v3`, with names instead of repository ids. */
export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  method: string;
  path: string;
  query: URLSearchParams;
  /** The root that API addresses in answers start with. */
  api: string;
  /** What is known about the request so far, for the history. */
  visit: Visit;
  /** Whether the history has it already. */
  recorded: boolean;
  /** Resolves when the client goes away before it was answered. */
  gone: Promise<void>;
};

const LARGEST_BODY = 10 * 1024 * 1024;

/** Undefined when what was asked for is no address at all. */
export function openExchange(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange | undefined {
  // A client behind a proxy setting sends the whole address instead of the path.
  const address = request.url ?? '/';
  if (!URL.canParse(address, world.url)) return undefined;
  const url = new URL(address, world.url);
  const prefix = /^\/api\/v3(?=\/|$)/.test(url.pathname) ? '/api/v3' : '';
  const path = byName(world, url.pathname.slice(prefix.length) || '/');
  const gone = new Promise<void>((resolve) => {
    response.once('close', () => {
      if (!response.writableFinished) resolve();
    });
  });
  return {
    request,
    response,
    // HEAD is GET without the body, which node:http leaves out by itself.
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET'),
    path,
    query: url.searchParams,
    api: `${originOf(world, request)}${prefix}`,
    visit: { via: 'rest', route: null, identity: undefined, armed: [] },
    recorded: false,
    gone,
  };
}

/** On the unix socket a client believes that it talks to api.github.com, and sends its token nowhere else. */
function originOf(world: World, { socket, headers }: IncomingMessage): string {
  return socket.localPort === undefined && headers.host ? `https://${headers.host}` : world.url;
}

/** `/repositories/7/issues` is the form in which GitHub's own links name a repository. */
function byName(world: World, path: string): string {
  const match = /^\/repositories\/(\d+)(\/.*)?$/.exec(path);
  const repo = match && world.store.repos.get(Number(match[1]));
  return repo ? `/repos/${repo.owner}/${repo.name}${match[2] ?? ''}` : path;
}

export async function readText(request: IncomingMessage): Promise<string> {
  const bytes = await readBytes(request, LARGEST_BODY);
  return bytes.toString();
}

export async function readBytes(request: IncomingMessage, most = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size <= most) chunks.push(bytes);
  }
  // Only now: a client that is still sending would not read the refusal.
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

/** Whether reading a request failed because its sender is gone. */
export function isHangUp(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}
