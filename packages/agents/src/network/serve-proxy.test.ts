import { readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { aRule, createProxyBench, type ProxyBench } from '../testing/proxy-bench.js';

describe('serveProxy', () => {
  let bench: ProxyBench;
  beforeEach(async () => {
    bench = await createProxyBench(({ allowed }) => [
      aRule('127.0.0.1', allowed),
      aRule('localhost', allowed),
    ]);
  });
  afterEach(() => bench.close());

  it('tunnels bytes to an allowed host, including bytes that arrive together with the request', async () => {
    const { port } = bench.allowed;
    const get = 'GET /inside HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const text = await bench.talk(`CONNECT LocalHost:${port} HTTP/1.1\r\nHost: x\r\n\r\n${get}`);
    expect(text).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK/);
    expect(bench.allowed.requests).toMatchObject([{ url: '/inside' }]);
    expect(bench.refused).toEqual([]);
  });

  it.each([
    ['a body with a length', 'Content-Length: 5\r\n\r\nabcde'],
    ['a body in chunks', 'Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n'],
  ])('forwards a plain request with %s', async (_what, rest) => {
    const line = `POST http://127.0.0.1:${bench.allowed.port}/v1?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close`;
    expect(await bench.talk(`${line}\r\n${rest}`)).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*hello/);
    expect(bench.allowed.requests).toMatchObject([{ method: 'POST', url: '/v1?x=1', body: 'abcde' }]);
  });

  it('reports an unreachable host as unreachable, not as refused', async () => {
    const { port } = bench.allowed;
    await bench.allowed.close();
    const connect = `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\n`;
    expect(await bench.talk(connect)).toMatch(/^HTTP\/1\.1 502 /);
    const get = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect(await bench.talk(get)).toMatch(/^HTTP\/1\.1 502 /);
    expect(bench.refused).toEqual([]);
  });

  it('keeps its socket in a private directory', async () => {
    const directory = dirname(bench.socketPath);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory)).toEqual(['proxy.sock']);
  });
});
