import { closeSync, mkdirSync, openSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { forwardRequest } from './forward-request.js';
import type { HostRule } from './host-rule.js';
import { openTunnel } from './open-tunnel.js';
import type { ProxyDesk, ProxyLimits } from './proxy-desk.js';
import { createResolveTarget } from './resolve-target.js';

const LIMITS: ProxyLimits = {
  connections: 128,
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  connectMs: 30_000,
  idleMs: 15 * 60_000,
};

/** Maximum number of different targets to report per run, so that a program cannot flood the reports. */
const MAX_REPORTED = 20;

export type ProxyOptions = {
  /** A new private directory for the socket. */
  directory: string;
  rules: readonly HostRule[];
  /** Called once for each refused target, with the text as the program sent it. */
  onRefused: (target: string) => void;
  limits?: Partial<ProxyLimits>;
};

export type NetworkProxy = { close(): Promise<void> };

export const SOCKET_NAME = 'proxy.sock';

/** Serves an HTTP proxy on a Unix socket until closed. Never reports the headers or content of a request. */
export async function serveProxy({
  directory,
  rules,
  onRefused,
  ...options
}: ProxyOptions): Promise<NetworkProxy> {
  const limits = { ...LIMITS, ...options.limits };
  const sockets = new Set<Socket>();
  let isClosed = false;
  const desk: ProxyDesk = {
    resolve: createResolveTarget(rules),
    refuse: reportOnce(onRefused),
    limits,
    track: (socket) => {
      if (isClosed) socket.destroy();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      // Closes a broken connection, so that the other side notices.
      socket.on('error', () => socket.destroy());
    },
  };
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.ceil(limits.headersMs / 4),
  });
  server.maxConnections = limits.connections;
  server.on('connection', desk.track);
  const serveOnce = createServeOnce(limits.connections);
  server.on('connect', (request, _socket, head) => {
    serveOnce(request.socket, () => openTunnel(desk, request, head));
  });
  server.on('request', (request, response) => {
    serveOnce(request.socket, () => forwardRequest(desk, request, response));
  });
  await listen(server, directory);
  // The worker has no free file descriptor for a new connection. The program can retry.
  server.on('error', () => {});
  return {
    close: async () => {
      isClosed = true;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/**
 * Serves one request per connection, and a limited number of requests at a time. A request counts until its connection to
 * the host is closed, even if its client has disconnected.
 */
function createServeOnce(limit: number): (client: Socket, serve: () => Promise<void>) => void {
  const served = new WeakSet<Socket>();
  let current = 0;
  return (client, serve) => {
    if (served.has(client) || current >= limit) {
      client.destroy();
      return;
    }
    served.add(client);
    current += 1;
    // A program and a host control every byte that `serve` reads. A bug must end the connection, not the worker.
    serve()
      .catch(() => client.destroy())
      .finally(() => {
        current -= 1;
      });
  };
}

function reportOnce(onRefused: (target: string) => void): (target: string) => void {
  const known = new Set<string>();
  return (target) => {
    if (known.size >= MAX_REPORTED || known.has(target)) return;
    known.add(target);
    onRefused(target);
  };
}

/** Listens through the directory's descriptor, because a socket's path is limited to 107 bytes. */
async function listen(server: Server, directory: string): Promise<void> {
  mkdirSync(directory, { mode: 0o700 });
  const descriptor = openSync(directory, 'r');
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(`/proc/self/fd/${descriptor}/${SOCKET_NAME}`, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } finally {
    closeSync(descriptor);
  }
}
