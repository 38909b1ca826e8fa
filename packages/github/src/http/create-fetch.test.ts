import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
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

  it('opens few connections, however many requests are waiting', async () => {
    const get = createFetch();
    await Promise.all(Array.from({ length: 30 }, async () => (await get(url)).text()));
    expect(connections).toBe(8);
  });
});
