import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostRule } from '../network/host-rule.js';
import type { ProxyLimits } from '../network/proxy-desk.js';
import { type NetworkProxy, SOCKET_NAME, serveProxy } from '../network/serve-proxy.js';

export type ProxyBench = Awaited<ReturnType<typeof createProxyBench>>;

export const aRule = (host: string, port: number, more: Partial<HostRule> = {}): HostRule => ({
  host,
  ports: [port],
  tlsPorts: [],
  plainPorts: [],
  mayBePrivate: true,
  ...more,
});

/** Starts a forbidden and an allowed server on loopback, and a proxy between them and hostile clients. */
export async function createProxyBench(
  buildRules: (ports: { allowed: number; forbidden: number }) => HostRule[],
  limits: Partial<ProxyLimits> = {},
) {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-proxy-'));
  const allowed = await serveHello();
  const forbidden = await listenForConnections();
  const refused: string[] = [];
  const directory = join(dir, 'network');
  const proxy: NetworkProxy = await serveProxy({
    directory,
    rules: buildRules({ allowed: allowed.port, forbidden: forbidden.port }),
    onRefused: (target) => void refused.push(target),
    limits,
  });
  const socketPath = join(directory, SOCKET_NAME);
  return {
    allowed,
    forbidden,
    refused,
    proxy,
    socketPath,
    /** Sends bytes and returns everything that the proxy sends back until it closes or is quiet. */
    talk: (bytes: string | Buffer, quietMs = 2_000) => talk(socketPath, bytes, quietMs),
    close: async () => {
      await proxy.close();
      await Promise.all([allowed.close(), forbidden.close()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function serveHello() {
  const requests: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, headers, body });
    response.end('hello');
  });
  return { requests, ...(await listen(server)) };
}

/** Counts connections and bytes, and sends no response. */
async function listenForConnections() {
  const state = { connections: 0, bytes: 0 };
  const server = createTcpServer((socket) => {
    state.connections += 1;
    socket.on('data', (chunk: Buffer) => {
      state.bytes += chunk.length;
    });
  });
  return { state, ...(await listen(server)) };
}

async function listen(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  // Also receives IPv4 connections, as most servers do.
  await new Promise<void>((resolve) => void server.listen({ port: 0, host: '::' }, resolve));
  const { port }: { port: number } = Object(server.address());
  return {
    port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

function talk(path: string, bytes: string | Buffer, quietMs: number): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path, () => socket.write(bytes));
    socket.setEncoding('latin1').setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}
