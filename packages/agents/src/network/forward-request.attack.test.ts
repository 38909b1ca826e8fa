import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { aRule, createProxyBench, type ProxyBench } from '../testing/proxy-bench.js';
import { readHostRule } from './host-rule.js';
import { createResolveTarget } from './resolve-target.js';

let bench: ProxyBench;
afterEach(() => bench.close());

describe('an allowed host that attacks the proxy with its response', () => {
  /** Runs a host that answers each connection with these bytes. Returns the proxy's response. */
  async function receive(bytes: string): Promise<string> {
    const sockets = new Set<Socket>();
    const host = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      socket.once('data', () => socket.end(Buffer.from(bytes, 'latin1')));
    });
    await new Promise<void>((resolve) => void host.listen(0, '127.0.0.1', resolve));
    const { port }: { port: number } = Object(host.address());
    bench = await createProxyBench(({ allowed }) => [aRule('127.0.0.1', port), aRule('127.0.0.1', allowed)]);
    try {
      return await bench.talk(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`, 500);
    } finally {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => host.close(resolve));
    }
  }
  const get = () =>
    bench.talk(`GET http://127.0.0.1:${bench.allowed.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`, 500);

  it.each([
    ['status 099', 'HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n'],
    ['status 000', 'HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n'],
    ['status 9', 'HTTP/1.1 9 X\r\nContent-Length: 0\r\n\r\n'],
    ['status 2000', 'HTTP/1.1 2000 X\r\nContent-Length: 0\r\n\r\n'],
    ['a status 099 with a body', 'HTTP/1.1 099 X\r\nContent-Length: 5\r\n\r\nhello'],
    ['an upgrade that nobody asked for', 'HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhello'],
    ['a control character in a header', 'HTTP/1.1 200 OK\r\nX-A: a\x01b\r\n\r\n'],
    ['a NUL in a header', 'HTTP/1.1 200 OK\r\nX-A: a\0b\r\n\r\n'],
    ['a header of 64 KB', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(65_536)}\r\n\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['only interim responses', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50)],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['nothing', ''],
  ])('with %s causes a 502, and the worker survives', async (_what, bytes) => {
    expect(await receive(bytes)).toMatch(/^HTTP\/1\.1 502 /);
    expect(await get()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    ['a body that is too short', 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello'],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n'],
    ['a body after status 204', 'HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\nhello'],
    ['a second response', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 099 X\r\n\r\n'],
  ])('with %s ends only its own connection', async (_what, bytes) => {
    expect(await receive(bytes)).toMatch(/^HTTP\/1\.1 20[04] /);
    expect(await get()).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a program that sends many requests', () => {
  const to = (port: number, version = '1.1') =>
    `GET http://localhost:${port}/ HTTP/${version}\r\nHost: x\r\nConnection: keep-alive\r\n\r\n`;
  const tunnelTo = (port: number) => `CONNECT localhost:${port} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const start = async (connections: number) => {
    bench = await createProxyBench(
      ({ allowed, forbidden: silent }) => [aRule('localhost', allowed), aRule('localhost', silent)],
      { connections },
    );
  };

  it.each<[string, (port: number) => string]>([
    ['HTTP/1.1', (port) => to(port).repeat(150)],
    ['HTTP/1.0', (port) => to(port, '1.0').repeat(150)],
    ['a tunnel behind a request', (port) => to(port) + tunnelTo(port)],
    ['many packets', (port) => to(port).repeat(5_000)],
  ])('on one connection (%s) opens at most one connection to the host', async (_what, build) => {
    await start(2);
    await bench.talk(build(bench.forbidden.port), 400);
    expect(bench.forbidden.state.connections).toBeLessThanOrEqual(1);
  });

  it('gets one response per connection, which announces that the connection closes', async () => {
    await start(2);
    expect(await bench.talk(to(bench.allowed.port))).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/i);
  });

  it('cannot use up the connection limit with requests that have ended', async () => {
    await start(2);
    const { allowed, forbidden: silent } = bench;
    for (let count = 0; count < 5; count += 1) {
      for (const request of [to(silent.port), tunnelTo(silent.port), to(1), tunnelTo(1), 'x'])
        await bench.talk(request, 20);
      expect(await bench.talk(to(allowed.port))).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  it('cannot exceed the connection limit with a host that reads nothing', async () => {
    const sockets = new Set<Socket>();
    let most = 0;
    const stuck = createServer((socket) => {
      sockets.add(socket.pause().on('error', () => {}));
      most = Math.max(most, sockets.size);
    });
    await new Promise<void>((resolve) => void stuck.listen(0, '127.0.0.1', resolve));
    const { port }: { port: number } = Object(stuck.address());
    bench = await createProxyBench(() => [aRule('127.0.0.1', port)], { connections: 3 });
    const filler = Buffer.alloc(16 * 1024 * 1024);
    for (let count = 0; count < 8; count += 1) {
      const open = Buffer.from(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await bench.talk(Buffer.concat([open, filler]), 200);
    }
    expect(most).toBeLessThanOrEqual(3);
    await bench.proxy.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => stuck.close(resolve));
  });

  it.each<[string, number, (port: number) => string]>([
    ['requests on one connection', 1, (port) => to(port).repeat(500)],
    ['requests on many connections', 100, to],
    ['tunnels', 100, tunnelTo],
  ])('reaches no host after the turn ended: %s', async (_what, count, build) => {
    await start(128);
    const { state, port } = bench.forbidden;
    const clients = Array.from({ length: count }, () => connect(bench.socketPath).on('error', () => {}));
    for (const client of clients) client.write(build(port));
    for (let tries = 0; state.connections === 0 && tries < 100; tries += 1) await sleep(1);
    await bench.proxy.close();
    await sleep(20);
    const { connections } = state;
    await sleep(300);
    expect(state.connections).toBe(connections);
    for (const client of clients) client.destroy();
  });

  it('causes no lookup once its connection is closed', async () => {
    await start(2);
    const resolve = createResolveTarget([aRule('localhost', 80)]);
    expect(await resolve({ destroyed: true }, 'localhost:80', 'tunnel')).toEqual({ kind: 'unknown' });
    expect(await resolve({ destroyed: false }, 'localhost:80', 'tunnel')).toMatchObject({ kind: 'allowed' });
  });
});

describe('a program that tries to reach another site on the network of an allowed host', () => {
  const inner = 'GET /evil HTTP/1.1\r\nHost: evil.test\r\n\r\n';
  beforeEach(async () => {
    bench = await createProxyBench(({ allowed, forbidden }) => [
      readHostRule('example.com'),
      readHostRule('*.suffix.test'),
      aRule('localhost', allowed, { plainPorts: [allowed] }),
      aRule('localhost', forbidden, { tlsPorts: [forbidden] }),
    ]);
  });

  it.each([
    ['a name', 'example.com:80'],
    ['a name in upper case', 'EXAMPLE.COM:80'],
    ['a name below a domain', 'a.suffix.test:80'],
    ['a reachable host', 'localhost:A'],
  ])('cannot open a tunnel to the plain HTTP port of an entry: %s', async (_what, template) => {
    const target = template.replace('A', (letter, at: number) =>
      template[at - 1] === ':' ? String(bench.allowed.port) : letter,
    );
    expect(await bench.talk(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n${inner}`)).toMatch(
      /^HTTP\/1\.1 403 /,
    );
    expect(bench.allowed.requests).toEqual([]);
    expect(bench.refused).toEqual([target]);
  });

  it.each([
    ['a Host header', 'GET', 'Host: evil.test'],
    ['a Host header that Connection names', 'GET', 'Host: evil.test\r\nConnection: host'],
    ['two Host headers', 'GET', 'Host: localhost\r\nHost: evil.test'],
    ['a request in a GET body without a length', 'GET', bodyOf('Connection: content-length')],
    ['a request in a DELETE body without a length', 'DELETE', bodyOf('Connection: content-length, host')],
    ['a request in a POST body without a length', 'POST', bodyOf('Connection: content-length')],
    ['an upgrade to HTTP/2', 'GET', 'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c'],
  ])('cannot name that site in a plain request with %s', async (_what, method, rest) => {
    const { port, requests } = bench.allowed;
    const end = rest.includes('\r\n\r\n') ? '' : '\r\n\r\n';
    await bench.talk(`${method} http://localhost:${port}/x HTTP/1.1\r\n${rest}${end}`, 500);
    expect(
      requests.map(({ url, headers, body }) => [url, headers['host'], headers['upgrade'], body]),
    ).toEqual(
      requests.length === 0
        ? []
        : [['/x', `localhost:${port}`, undefined, rest.endsWith(inner) ? inner : '']],
    );
  });

  it.each([
    ['port 443 of a name', 'http://example.com:443/'],
    ['port 443 of a name below a domain', 'http://a.suffix.test:443/'],
    ['the TLS port of a reachable host', 'http://localhost:P/secret'],
  ])('cannot send clear text to %s', async (_what, template) => {
    const url = template.replace(':P', `:${bench.forbidden.port}`);
    expect(await bench.talk(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(bench.forbidden.state.connections).toBe(0);
  });

  function bodyOf(headers: string): string {
    return `Host: x\r\n${headers}\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`;
  }
});
