import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createFetch } from './create-fetch.js';

describe('createFetch', () => {
  let server: Server;
  let url: string;
  let connections = 0;
  beforeEach(async () => {
    connections = 0;
    server = createServer((_request, response) => setTimeout(() => response.end('{}'), 20));
    server.keepAliveTimeout = 60_000;
    server.on('connection', () => {
      connections += 1;
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('keeps a connection for longer than 4 s, after which Node would close it', async () => {
    const get = createFetch();
    await (await get(url)).text();
    await sleep(4_500);
    await (await get(url)).text();
    expect(connections).toBe(1);
  }, 15_000);

  it('connects to GitHub through the proxy, and to the proxy only', async () => {
    const tunnels: string[] = [];
    const proxy = createServer();
    proxy.on('connect', ({ url = '', headers }, socket) => {
      tunnels.push(`${url} ${headers['proxy-authorization']}`);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = z.object({ port: z.int() }).parse(proxy.address());
    const get = createFetch({ url: `http://ada:pass@127.0.0.1:${port}`, direct: ['direct.test'] });
    try {
      await expect(get('https://github.test/user')).rejects.toThrow('fetch failed');
      expect(tunnels).toEqual([`github.test:443 Basic ${Buffer.from('ada:pass').toString('base64')}`]);
      await expect(get('https://direct.test:1/')).rejects.toThrow('fetch failed');
      await (await get(url)).text();
      expect(tunnels).toHaveLength(1);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    }
  });

  it('opens few connections, however many requests are waiting', async () => {
    const get = createFetch();
    await Promise.all(Array.from({ length: 30 }, async () => (await get(url)).text()));
    expect(connections).toBe(8);
  });
});
