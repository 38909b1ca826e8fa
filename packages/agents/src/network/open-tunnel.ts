import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { ProxyDesk } from './proxy-desk.js';
import { readServerName } from './read-server-name.js';

/**
 * Answers CONNECT. Either refuses the target, or connects both sides and returns once the connection to the
 * host is closed.
 */
export async function openTunnel(desk: ProxyDesk, request: IncomingMessage, head: Buffer): Promise<void> {
  const { socket: client, url = '' } = request;
  const found = await desk.resolve(client, url, 'tunnel');
  if (client.destroyed) return;
  if (found.kind === 'refused') desk.refuse(url);
  if (found.kind !== 'allowed') return answer(client, found.kind === 'refused' ? FORBIDDEN : UNREACHABLE);

  const { target, isTls, lookup } = found;
  const { connectMs, idleMs } = desk.limits;
  const server = connect({ ...target, lookup });
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()));
  desk.track(server);
  const isConnected = await settle(server, connectMs);
  if (!isConnected || client.destroyed) {
    server.destroy();
    return answer(client, UNREACHABLE);
  }
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  const greeting = isTls ? await readGreeting(client, head, desk.limits.headersMs) : head;
  const isNamed = !isTls || isFor(greeting, target.host);
  if (!isNamed) desk.refuse(describeMismatch(greeting, url));
  if (!isNamed || client.destroyed) {
    client.destroy();
    server.destroy();
    return;
  }
  join(client, server, idleMs);
  server.write(greeting);
  await closed;
}

const FORBIDDEN = "403 Forbidden\r\n\r\nThe sandbox's network policy does not allow this host.\n";
const UNREACHABLE = '502 Bad Gateway\r\n\r\nThe host cannot be reached.\n';

function answer(client: Socket, text: string): void {
  client.end(`HTTP/1.1 ${text.replace('\r\n', '\r\nConnection: close\r\n')}`);
}

/** True once the connection is open; false if it failed or took too long. */
function settle(server: Socket, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.setTimeout(limitMs, () => server.destroy());
    server.once('connect', () => resolve(true));
    server.once('close', () => resolve(false));
  });
}

/** Reads until the ClientHello is complete, the bytes cannot become one, or the time is up. */
function readGreeting(client: Socket, head: Buffer, limitMs: number): Promise<Buffer> {
  return new Promise((resolve) => {
    let bytes = head;
    const finish = (): void => {
      clearTimeout(timer);
      client.off('data', onData).off('close', finish).off('end', finish).pause();
      resolve(bytes);
    };
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      if (readServerName(bytes).kind !== 'unfinished') finish();
    };
    const timer = setTimeout(finish, limitMs);
    client.on('data', onData).once('close', finish).once('end', finish);
    onData(Buffer.alloc(0));
  });
}

function isFor(greeting: Buffer, host: string): boolean {
  const found = readServerName(greeting);
  return found.kind === 'named' && found.name === host;
}

function describeMismatch(greeting: Buffer, url: string): string {
  const found = readServerName(greeting);
  return found.kind === 'named' ? `${found.name}[via:${url}]` : `${url}[no-TLS-name]`;
}

function join(client: Socket, server: Socket, idleMs: number): void {
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.pipe(other);
    one.setTimeout(idleMs, () => one.destroy());
    // `destroySoon` first sends the remaining data.
    one.once('close', () => other.destroySoon());
  }
}
