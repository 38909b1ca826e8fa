import { createServer, type RequestListener, type Server } from 'node:http';
import { silentLog } from '@mergexo/core/basics';
import { createGetTail } from './get-tail.js';

const PATH = '/repos/acme/app/actions/jobs/1/logs';
const LONG = Buffer.alloc(3_000_000, 'abcdefghij');
LONG.write('the very end', LONG.length - 12);

describe('the end of a file that is kept elsewhere', () => {
  let server: Server;
  let answer: RequestListener;
  let asked: (string | undefined)[];
  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(request.headers.range);
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const addressOf = () => {
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/log?sig=SIGNATURE`;
  };
  const tailOf = (
    maxBytes: number,
    { location = addressOf(), apiUrl = 'http://127.0.0.1', timeoutMs = 5_000 } = {},
  ) => {
    const connection = {
      apiUrl,
      token: async () => 'TOKEN',
      writable: [],
      userAgent: 'mergexo-test',
      throttled: false,
      now: () => 0,
      log: silentLog,
      timeoutMs,
    };
    const send = async () => ({ status: 302, data: '', headers: location === '' ? {} : { location } });
    return createGetTail(connection, send)(PATH, maxBytes);
  };
  const serve = (body: Buffer, withRanges: boolean): RequestListener => {
    return ({ headers: { range } }, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
      const part = withRanges ? body.subarray(from) : body;
      response.writeHead(withRanges && range ? 206 : 200, { 'content-length': part.length }).end(part);
    };
  };

  it('is asked for alone when the file is long', async () => {
    answer = serve(LONG, true);
    expect(await tailOf(12)).toBe('the very end');
    expect(asked).toEqual([undefined, `bytes=${LONG.length - 12}-`]);
  });

  it('is found in the whole where the server sends nothing else', async () => {
    answer = serve(LONG, false);
    expect(await tailOf(100_000)).toBe(LONG.subarray(-100_000).toString());
  });

  it('is found where the server does not say how long the file is', async () => {
    answer = (_request, response) => {
      for (let at = 0; at < LONG.length; at += 100_000) response.write(LONG.subarray(at, at + 100_000));
      response.end();
    };
    expect(await tailOf(15)).toBe('fghthe very end');
    expect(asked).toHaveLength(1);
  });

  it.each([
    [0, ''],
    [1, ''],
    [2, ''],
    [3, '€'],
    [4, '€'],
    [6, '€€'],
    [100, 'é€€'],
  ])(
    'is never longer than asked for, and begins with a whole character: %i bytes',
    async (maxBytes, tail) => {
      answer = serve(Buffer.from('é€€'), true);
      expect(await tailOf(maxBytes)).toBe(tail);
    },
  );

  it('is given up when the file does not end, and so is the connection', async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (request, response) => {
        const more = () => {
          while (response.write(LONG));
        };
        response.on('drain', more);
        request.on('close', resolve);
        more();
      };
    });
    expect(await tailOf(10)).toBeNull();
    await closed;
  });

  it.each([
    [404, 'not-found'],
    [410, 'not-found'],
    [403, 'unavailable'],
    [500, 'unavailable'],
  ])('is a failure when the store answers %i: %s', async (status, kind) => {
    answer = (_request, response) => response.writeHead(status).end('<Error/>');
    const failure = await tailOf(10).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'Failure', kind, message: expect.stringContaining(PATH) });
  });

  it.each([
    ['drops the connection', (socket: { destroy(): void }) => socket.destroy()],
    ['says nothing', () => {}],
  ])('is unavailable when the store %s, and the failure does not tell the signature', async (_name, act) => {
    answer = (request) => act(request.socket);
    const failure = await tailOf(10, { timeoutMs: 200 }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'Failure', kind: 'unavailable' });
    expect(failure instanceof Error && `${failure.stack} ${failure.cause}`).not.toContain('SIGNATURE');
  });

  it.each([
    ['nowhere', { location: '' }],
    ['to nonsense', { location: '//' }],
    ['to a file', { location: 'file:///etc/passwd' }],
    ['to plain HTTP, though GitHub itself is asked by HTTPS', { apiUrl: 'https://api.github.com' }],
  ])('is not looked for when GitHub sends us %s', async (_name, options) => {
    await expect(tailOf(10, options)).rejects.toMatchObject({ kind: 'invalid-data' });
    expect(asked).toEqual([]);
  });
});
