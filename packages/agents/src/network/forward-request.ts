import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ProxyDesk } from './proxy-desk.js';

const ABSOLUTE = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i;

/**
 * Forwards one plain HTTP request, and returns once its connection to the host is closed. The target is the
 * URL in the request line; the Host header has no effect.
 */
export async function forwardRequest(
  desk: ProxyDesk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = '', method, socket: client } = request;
  const [, authority = '', rest = '/'] = ABSOLUTE.exec(url) ?? [];
  const found = await desk.resolve(client, authority, 'request');
  if (client.destroyed) return;
  if (found.kind === 'refused') desk.refuse(authority === '' ? url : authority);
  if (found.kind !== 'allowed') return answer(response, found.kind === 'refused' ? 403 : 502);

  const { target, lookup } = found;
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  const headers = { ...keepEndToEnd(request.headers), ...frameBody(request.headers), host: authority };
  const upstream = send({ ...target, lookup, method, path, headers, agent: false });
  const closed = new Promise<void>((resolve) => upstream.once('close', () => resolve()));
  guard(desk, upstream, response);
  request.pipe(upstream);
  // The host controls the whole response. Awaiting it here turns every exception into a 502.
  try {
    const answered = await receiveAnswer(upstream);
    const kept = { ...keepEndToEnd(answered.headers), connection: 'close' };
    response.writeHead(answered.statusCode ?? 502, kept);
    await pipeline(answered, response);
  } catch {
    if (response.headersSent) response.destroy();
    else answer(response, 502);
  }
  await closed;
}

/** Handles errors on both sides, and closes the connection to the host when the client's response ends. */
function guard({ track, limits }: ProxyDesk, upstream: ClientRequest, response: ServerResponse): void {
  upstream.on('error', () => {});
  response.on('error', () => {});
  upstream.on('socket', (socket) => {
    track(socket);
    socket.setTimeout(limits.connectMs, () => socket.destroy());
    socket.once('connect', () => socket.setTimeout(limits.idleMs));
  });
  response.once('close', () => {
    upstream.destroy();
    // A request whose response has ended ignores `destroy`, but its socket may still have data to send.
    upstream.socket?.destroy();
  });
}

function receiveAnswer(upstream: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    upstream.once('response', resolve).once('error', reject);
    upstream.once('close', () => reject(new Error('the host sent no response')));
  });
}

const TEXTS = {
  403: "The sandbox's network policy does not allow this host.\n",
  502: 'The host cannot be reached.\n',
} as const;

function answer(response: ServerResponse, status: keyof typeof TEXTS): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(TEXTS[status]);
}

/** Hop-by-hop headers (RFC 9110, section 7.6.1) and proxy credentials, which must not be forwarded. */
const OF_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Keeps the header that frames the body, even if `Connection` lists it. Without that header, a host could
 * parse the body as a second request.
 */
function frameBody(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  const length = headers['content-length'];
  return length === undefined ? {} : { 'content-length': length };
}

function keepEndToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const dropped = new Set([...OF_CONNECTION, ...named]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}
