import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { aRule, createProxyBench, type ProxyBench } from '../testing/proxy-bench.js';
import { readServerName } from './read-server-name.js';

/** Records the ClientHello that Node's TLS client sends for a server name. */
async function greet(servername: string | undefined): Promise<Buffer> {
  return new Promise((resolve) => {
    const wire = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => {
        resolve(chunk);
        done();
      },
    });
    const socket = connectTls({ socket: wire, ...(servername !== undefined && { servername }) });
    socket.on('error', () => {});
    setImmediate(() => socket.destroy());
  });
}

describe('the first message in a tunnel to an allowed host', () => {
  let bench: ProxyBench;
  beforeEach(async () => {
    bench = await createProxyBench(
      ({ forbidden }) => [aRule('localhost', forbidden, { tlsPorts: [forbidden] })],
      { headersMs: 400 },
    );
  });
  afterEach(() => bench.close());

  /** Opens a tunnel, sends the bytes, and returns the number of bytes that reached the server. */
  async function send(...parts: Buffer[]): Promise<number> {
    const open = Buffer.from(`CONNECT localhost:${bench.forbidden.port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const text = await bench.talk(Buffer.concat([open, ...parts]), 1_500);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    return bench.forbidden.state.bytes;
  }
  const cut = (bytes: Buffer, length: number) => bytes.subarray(0, length);
  const patch = (bytes: Buffer, at: number, value: number) => {
    const copy = Buffer.from(bytes);
    copy[at] = value;
    return copy;
  };

  it('passes if it names the host (the control)', async () => {
    const greeting = await greet('localhost');
    expect(await send(greeting)).toBe(greeting.length);
    expect(bench.refused).toEqual([]);
  });

  it.each<[string, () => Promise<Buffer>]>([
    ['names another host on the same network (domain fronting)', () => greet('evil.test')],
    ['names a host that ends like the allowed one', () => greet('evil.localhost')],
    ['names a host that starts like the allowed one', () => greet('localhost.evil.test')],
    ['names no host', () => greet(undefined)],
    ['is plain HTTP', async () => Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['is SSH', async () => Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')],
    ['is another CONNECT', async () => Buffer.from('CONNECT evil.test:443 HTTP/1.1\r\n\r\n')],
    ['is the preface of HTTP/2', async () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['is an SSL 2 ClientHello', async () => Buffer.from([0x80, 0x2e, 0x01, 0x00, 0x02])],
    ['is empty', async () => Buffer.alloc(0)],
    ['is a TLS alert', async () => Buffer.from([21, 3, 1, 0, 2, 2, 40])],
    ['is a ServerHello', async () => patch(await greet('localhost'), 5, 2)],
    ['stops in the middle', async () => cut(await greet('localhost'), 100)],
    ['claims a larger record than TLS allows', async () => patch(await greet('localhost'), 3, 0xff)],
    ['has a session id that extends past its end', async () => patch(await greet('localhost'), 43, 0xff)],
    [
      'has a record that ends before the name',
      async () => patch(patch(await greet('localhost'), 3, 0), 4, 60),
    ],
  ])('that %s does not reach the server', async (_what, build) => {
    expect(await send(await build())).toBe(0);
    expect(bench.refused).toHaveLength(1);
  });

  it('never crashes the reader, whatever the bytes are', async () => {
    const greeting = await greet('localhost');
    for (let at = 0; at < greeting.length; at += 1)
      for (const value of [0, 1, 0x7f, 0xff])
        expect(['named', 'unfinished', 'none']).toContain(readServerName(patch(greeting, at, value)).kind);
    for (let length = 0; length < greeting.length; length += 1)
      expect(readServerName(cut(greeting, length)).kind).toBe('unfinished');
  });
});
