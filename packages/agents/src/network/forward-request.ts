import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { ProxyDesk } from './proxy-desk.js';

const ABSOLUTE = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i;

/** Forwards one plain HTTP request. Its target is the URL in the request line; the Host header has no effect. */
export async function forwardRequest(
  desk: ProxyDesk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = '', method } = request;
  const [, authority = '', rest = '/'] = ABSOLUTE.exec(url) ?? [];
  const found = await desk.resolve(authority, 80);
  if (response.destroyed) return;
  if (found.kind === 'refused') desk.refuse(authority === '' ? url : authority);
  if (found.kind !== 'allowed') return answer(response, found.kind === 'refused' ? 403 : 502);

  const { target, lookup } = found;
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const headers = {
    ...keepEndToEnd(request.headers),
    host: authority,
    ...(isChunked && { 'transfer-encoding': 'chunked' }),
  };
  const upstream = send({ ...target, lookup, method, path, headers, agent: false });
  const { connectMs, idleMs } = desk.limits;
  upstream.on('socket', (socket) => {
    desk.track(socket);
    socket.setTimeout(connectMs, () => socket.destroy());
    socket.once('connect', () => socket.setTimeout(idleMs));
  });
  upstream.on('error', () => (response.headersSent ? response.destroy() : answer(response, 502)));
  upstream.on('response', (answered) => {
    response.writeHead(answered.statusCode ?? 502, keepEndToEnd(answered.headers));
    answered.on('error', () => response.destroy());
    answered.pipe(response);
  });
  response.once('close', () => upstream.destroy());
  request.pipe(upstream);
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

function keepEndToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const dropped = new Set([...OF_CONNECTION, ...named]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}
