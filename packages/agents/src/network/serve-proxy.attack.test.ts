import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { aRule, createProxyBench, type ProxyBench } from '../testing/proxy-bench.js';
import { readHostRule } from './host-rule.js';

const REFUSED = /^HTTP\/1\.1 (?:400|403|431) /;

let bench: ProxyBench;
const start = async (limits: Parameters<typeof createProxyBench>[1] = {}): Promise<void> => {
  bench = await createProxyBench(
    ({ allowed, forbidden }) => [
      readHostRule('example.com'),
      readHostRule('*.suffix.test'),
      aRule('127.0.0.1', allowed),
      // An allowed public name whose owner makes it resolve to the worker's loopback address.
      aRule('localhost', forbidden, { mayBePrivate: false }),
    ],
    limits,
  );
};

/** Checks that the attack did not reach the forbidden server and that the proxy still works. */
async function expectUnharmed(): Promise<void> {
  const { port } = bench.allowed;
  const served = await bench.talk(`GET http://127.0.0.1:${port}/after HTTP/1.1\r\nConnection: close\r\n\r\n`);
  expect(served).toMatch(/^HTTP\/1\.1 (?:200|400) /);
  expect(bench.forbidden.state.connections).toBe(0);
}

afterEach(() => bench.close());

describe('CONNECT to a forbidden target', () => {
  beforeEach(() => start());

  it.each([
    ['loopback', '127.0.0.1:P'],
    ['a short form of loopback', '127.1:P'],
    ['another address of loopback', '127.9.9.9:P'],
    ['loopback as a hexadecimal number', '0x7f000001:P'],
    ['loopback in hexadecimal parts', '0x7f.0x0.0x0.0x1:P'],
    ['loopback in octal', '0177.0.0.1:P'],
    ['loopback with leading zeros', '127.000.000.001:P'],
    ['loopback as a decimal number', '2130706433:P'],
    ['loopback with a trailing dot', '127.0.0.1.:P'],
    ['the unspecified address', '0.0.0.0:P'],
    ['zero', '0:P'],
    ['IPv6 loopback', '[::1]:P'],
    ['IPv6 loopback in full', '[0:0:0:0:0:0:0:1]:P'],
    ['IPv6 loopback without brackets', '::1:P'],
    ['IPv6 loopback with a zone', '[::1%25lo]:P'],
    ['the unspecified IPv6 address', '[::]:P'],
    ['loopback mapped to IPv6', '[::ffff:127.0.0.1]:P'],
    ['loopback mapped to IPv6 in hexadecimal', '[::ffff:7f00:1]:P'],
    ['loopback as an old compatible address', '[::127.0.0.1]:P'],
    ['loopback through NAT64', '[64:ff9b::7f00:1]:P'],
    ['IPv4 in brackets', '[127.0.0.1]:P'],
    ['an allowed name that resolves to loopback', 'localhost:P'],
    ['the same name in upper case', 'LOCALHOST:P'],
    ['the same name with a trailing dot', 'localhost.:P'],
    ['another name of loopback', 'localhost.localdomain:P'],
    ['a name below localhost', 'x.localhost:P'],
    ['the IPv6 name of loopback', 'ip6-localhost:P'],
    ['percent-encoded dots', '127%2e0%2e0%2e1:P'],
    ['a percent-encoded name', '%6cocalhost:P'],
    ['ideographic full stops', '127。0。0。1:P'],
    ['circled digits', '①②⑦.0.0.1:P'],
    ['full-width letters', 'ｌｏｃａｌｈｏｓｔ:P'],
    ['a soft hyphen', 'local\u00adhost:P'],
    ['a zero-width space', 'localhost\u200b:P'],
    ['a user name', 'user@127.0.0.1:P'],
    ['an allowed host as the user name', 'example.com@127.0.0.1:P'],
    ['an allowed host and port as the user', 'example.com:443@127.0.0.1:P'],
    ['a forbidden user before an allowed host', '127.0.0.1:P@example.com:443'],
    ['a fragment', '127.0.0.1:P#example.com:443'],
    ['a path', '127.0.0.1:P/example.com:443'],
    ['a backslash', '127.0.0.1:P\\example.com:443'],
    ['a URL', 'http://example.com:443'],
    ['the metadata service', '169.254.169.254:80'],
    ['the metadata service as a number', '2852039166:80'],
    ['the metadata service mapped to IPv6', '[::ffff:a9fe:a9fe]:80'],
    ['the metadata service over IPv6', '[fd00:ec2::254]:80'],
    ['the metadata service by name', 'metadata.google.internal:80'],
    ['a private address', '10.0.0.1:443'],
    ['a public address', '93.184.216.34:443'],
    ['another host', 'evil.test:443'],
    ['an allowed host as a prefix', 'example.com.evil.test:443'],
    ['an allowed host as the end of a label', 'evilexample.com:443'],
    ['a name below an exact entry', 'sub.example.com:443'],
    ['the suffix itself', 'suffix.test:443'],
    ['a name that only ends like the suffix', 'evilsuffix.test:443'],
    ['the wildcard entry', '*.suffix.test:443'],
    ['an empty label before the suffix', '.suffix.test:443'],
    ['two dots before the suffix', 'a..suffix.test:443'],
    ['a label of 64 characters', `${'a'.repeat(64)}.suffix.test:443`],
    ['a name of 300 characters', `${'a.'.repeat(150)}suffix.test:443`],
    ['another port', 'example.com:22'],
    ['the port of Redis', 'example.com:6379'],
    ['port 0', 'example.com:0'],
    ['a port beyond the limit', 'example.com:65979'],
    ['a port with a leading zero', 'example.com:0443'],
    ['a port with a sign', 'example.com:+443'],
    ['a port in hexadecimal', 'example.com:0x1bb'],
    ['two ports', 'example.com:443:443'],
    ['no port', 'example.com'],
    ['an empty port', 'example.com:'],
    ['no host', ':443'],
    ['an IPv6 address with a broken bracket', '[::1:P'],
  ])('refuses %s (%s)', async (_what, template) => {
    const target = template.replace('P', String(bench.forbidden.port));
    const request = Buffer.from(`CONNECT ${target} HTTP/1.1\r\nHost: example.com:443\r\n\r\n`);
    expect(await bench.talk(request)).toMatch(REFUSED);
    expect(bench.forbidden.state.connections).toBe(0);
  });
});

describe('a plain request to a forbidden target', () => {
  beforeEach(() => start());

  it.each([
    ['a forbidden host', 'GET http://127.0.0.1:P/ HTTP/1.1\r\nHost: 127.0.0.1:P'],
    [
      'a forbidden host behind an allowed Host header',
      'GET http://127.0.0.1:P/ HTTP/1.1\r\nHost: 127.0.0.1:A',
    ],
    ['an allowed name that resolves to loopback', 'GET http://localhost:P/ HTTP/1.1\r\nHost: localhost'],
    ['a user name', 'GET http://example.com@127.0.0.1:P/ HTTP/1.1\r\nHost: example.com'],
    ['a relative path', 'GET / HTTP/1.1\r\nHost: 127.0.0.1:P'],
    ['a path with two slashes', 'GET //127.0.0.1:P/ HTTP/1.1\r\nHost: 127.0.0.1:A'],
    ['HTTPS in the URL', 'GET https://127.0.0.1:P/ HTTP/1.1\r\nHost: example.com'],
    ['another scheme', 'GET gopher://127.0.0.1:P/ HTTP/1.1\r\nHost: example.com'],
    ['a file', 'GET file:///etc/passwd HTTP/1.1\r\nHost: example.com'],
    ['backslashes', 'GET http:\\\\127.0.0.1:P\\ HTTP/1.1\r\nHost: example.com'],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:P'],
    ['a fragment before the host', 'GET http://#127.0.0.1:P/ HTTP/1.1\r\nHost: example.com'],
    [
      'a WebSocket upgrade',
      'GET http://127.0.0.1:P/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket',
    ],
    ['TRACE', 'TRACE http://127.0.0.1:P/ HTTP/1.1\r\nHost: x'],
    ['the metadata service', 'PUT http://169.254.169.254/latest/api/token HTTP/1.1\r\nHost: example.com'],
  ])('refuses %s', async (_what, template) => {
    const { allowed, forbidden } = bench;
    const lines = template.replaceAll('P', (letter, at: number) =>
      template[at - 1] === ':' ? String(forbidden.port) : letter,
    );
    const request = lines.replaceAll(':A', `:${allowed.port}`);
    expect(await bench.talk(`${request}\r\n\r\n`)).toMatch(REFUSED);
    await expectUnharmed();
  });

  it('sends an allowed request to the host in its URL, whatever the Host header says', async () => {
    const { allowed, forbidden } = bench;
    const line = `GET http://127.0.0.1:${allowed.port}/x HTTP/1.1`;
    await bench.talk(`${line}\r\nHost: 127.0.0.1:${forbidden.port}\r\nConnection: close\r\n\r\n`);
    expect(allowed.requests[0]?.headers['host']).toBe(`127.0.0.1:${allowed.port}`);
    expect(forbidden.state.connections).toBe(0);
  });

  it('does not serve a second request on a connection', async () => {
    const { allowed, forbidden } = bench;
    const get = (port: number) => `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`;
    await bench.talk(get(allowed.port) + get(forbidden.port));
    expect(forbidden.state.connections).toBe(0);
    await expectUnharmed();
  });

  it('does not forward proxy credentials or hop-by-hop headers', async () => {
    const headers =
      'Host: x\r\nProxy-Authorization: Basic c2VjcmV0\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nTE: trailers';
    await bench.talk(`GET http://127.0.0.1:${bench.allowed.port}/ HTTP/1.1\r\n${headers}\r\n\r\n`);
    const names = Object.keys(bench.allowed.requests[0]?.headers ?? {});
    expect(names.filter((name) => /proxy|hop|^te$/.test(name))).toEqual([]);
  });
});

describe('a malformed request', () => {
  beforeEach(() => start({ headersMs: 500 }));

  const smuggled = 'CONNECT 127.0.0.1:P HTTP/1.1\r\nHost: x\r\n\r\n';
  it.each([
    ['a line break in the CONNECT line', `CONNECT example.com:443\r\n${smuggled}`],
    ['a bare line feed in the CONNECT line', `CONNECT example.com:443\nHost: 127.0.0.1:P HTTP/1.1\r\n\r\n`],
    ['a bare carriage return', `CONNECT example.com:443\rCONNECT 127.0.0.1:P HTTP/1.1\r\n\r\n`],
    ['a NUL in the CONNECT line', 'CONNECT 127.0.0.1:P\0.suffix.test:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['two targets', 'CONNECT example.com:443 127.0.0.1:P HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a tab instead of a space', 'CONNECT\texample.com:443\tHTTP/1.1\r\n\r\n'],
    [
      'a second request behind a refused CONNECT',
      `CONNECT evil.test:443 HTTP/1.1\r\nHost: x\r\n\r\n${smuggled}`,
    ],
    [
      'a request hidden in a body of unclear length',
      `POST http://127.0.0.1:A/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'two lengths',
      `POST http://127.0.0.1:A/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 9\r\n\r\n${smuggled}`,
    ],
    [
      'an obscured encoding',
      `POST http://127.0.0.1:A/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n${smuggled}`,
    ],
    ['a folded header', `GET http://evil.test/ HTTP/1.1\r\nHost: x\r\n\tfolded\r\n\r\n`],
    ['a header without a name', `GET http://evil.test/ HTTP/1.1\r\n: x\r\n\r\n`],
    ['HTTP/0.9', 'GET http://127.0.0.1:P/\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a SOCKS 5 greeting', '\x05\x01\x00'],
    ['a SOCKS 4 request', '\x04\x01\x00\x50\x7f\x00\x00\x01\x00'],
    ['a TLS ClientHello', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'],
    ['an unknown method', 'TUNNEL 127.0.0.1:P HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['one header of 32 KB', `CONNECT example.com:443 HTTP/1.1\r\nX: ${'x'.repeat(32_768)}\r\n\r\n`],
    ['ten thousand headers', `CONNECT evil.test:443 HTTP/1.1\r\n${'X: y\r\n'.repeat(10_000)}\r\n`],
    ['a target of 32 KB', `CONNECT ${'a.'.repeat(16_384)}suffix.test:443 HTTP/1.1\r\n\r\n`],
    ['no end of headers', 'CONNECT evil.test:443 HTTP/1.1\r\nX: y\r\n'],
    ['nothing but line breaks', '\r\n'.repeat(1_000)],
  ])('with %s reaches no server and does not stop the proxy', async (_what, template) => {
    const request = template
      .replaceAll('127.0.0.1:P', `127.0.0.1:${bench.forbidden.port}`)
      .replaceAll('127.0.0.1:A', `127.0.0.1:${bench.allowed.port}`);
    const text = await bench.talk(Buffer.from(request, 'latin1'), 1_500);
    expect(text).not.toMatch(/HTTP\/1\.1 200 Connection established/);
    await expectUnharmed();
  });
});

describe('a program that exhausts the proxy', () => {
  const open = async (count: number): Promise<Socket[]> => {
    const sockets = Array.from({ length: count }, () => connect(bench.socketPath).on('error', () => {}));
    await sleep(300);
    return sockets;
  };
  const countOpen = (sockets: readonly Socket[]) => sockets.filter((socket) => !socket.closed).length;
  const drop = (sockets: readonly Socket[]) => {
    for (const socket of sockets) socket.destroy();
  };
  const resume = (sockets: readonly Socket[]) => sockets.map((socket) => socket.resume());

  it('cannot open more than the allowed number of connections', async () => {
    await start({ connections: 16 });
    const sockets = resume(await open(300));
    expect(countOpen(sockets)).toBeLessThanOrEqual(16);
    drop(sockets);
    await sleep(100);
    await expectUnharmed();
  });

  it.each([
    ['sends nothing', ''],
    ['sends one header byte by byte', 'CONNECT evil.test:443 HTTP/1.1\r\nX: '],
  ])('loses a connection on which it %s', async (_what, first) => {
    await start({ headersMs: 400 });
    const sockets = resume(await open(5));
    for (const socket of sockets) socket.write(first);
    const drip = setInterval(() => {
      for (const socket of sockets) if (first !== '' && !socket.destroyed) socket.write('x');
    }, 50);
    await sleep(1_500);
    clearInterval(drip);
    expect(countOpen(sockets)).toBe(0);
    drop(sockets);
    await expectUnharmed();
  });

  it('loses a tunnel that is idle', async () => {
    await start({ idleMs: 300, headersMs: 200 });
    const began = performance.now();
    const text = await bench.talk(
      `CONNECT 127.0.0.1:${bench.allowed.port} HTTP/1.1\r\nHost: x\r\n\r\n`,
      5_000,
    );
    expect(text).toContain('200 Connection established');
    expect(performance.now() - began).toBeLessThan(4_500);
  });

  it('causes at most 20 reports of refused targets, each target once', async () => {
    await start();
    const ask = (name: string) => bench.talk(`CONNECT ${name}:443 HTTP/1.1\r\nHost: x\r\n\r\n`);
    for (let count = 0; count < 30; count += 1)
      await Promise.all([ask(`h${count}.test`), ask(`h${count}.test`)]);
    expect(bench.refused).toEqual(Array.from({ length: 20 }, (_, count) => `h${count}.test:443`));
  });

  it('loses every connection when the turn ends, and finds no socket afterwards', async () => {
    await start();
    const tunnel = connect(bench.socketPath)
      .on('error', () => {})
      .resume();
    tunnel.write(`CONNECT 127.0.0.1:${bench.allowed.port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await sleep(200);
    expect(tunnel.closed).toBe(false);
    await bench.proxy.close();
    await sleep(100);
    expect(tunnel.closed).toBe(true);
    expect(await bench.talk('CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n')).toBe('');
  });
});
