import { createServer, type RequestListener, type Server } from 'node:http';
import { aConnection } from '../testing/a-github-client.js';
import { createGetTail } from './get-tail.js';

const PATH = '/repos/acme/app/actions/jobs/1/logs';
const LONG = Buffer.alloc(3_000_000, 'abcdefghij');
LONG.write('the very end', LONG.length - 12);

describe('the end of a file on another server', () => {
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
    const connection = aConnection({ apiUrl, writable: [], timeoutMs });
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

  it('is requested without the rest if the file is long', async () => {
    answer = serve(LONG, true);
    expect(await tailOf(12)).toEqual({ text: 'the very end', isCut: true });
    expect(asked).toEqual([undefined, `bytes=${LONG.length - 12}-`]);
  });

  it('is taken from the whole file if the server ignores ranges', async () => {
    answer = serve(LONG, false);
    expect(await tailOf(100_000)).toEqual({ text: LONG.subarray(-100_000).toString(), isCut: true });
  });

  it('is found if the server does not report the length of the file', async () => {
    answer = (_request, response) => {
      for (let at = 0; at < LONG.length; at += 100_000) response.write(LONG.subarray(at, at + 100_000));
      response.end();
    };
    expect(await tailOf(15)).toEqual({ text: 'fghthe very end', isCut: true });
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
    'is never longer than requested, and starts with a whole character: %i bytes',
    async (maxBytes, tail) => {
      answer = serve(Buffer.from('é€€'), true);
      expect(await tailOf(maxBytes)).toEqual({ text: tail, isCut: maxBytes < 8 });
    },
  );

  it('is null for an endless file, and the connection is closed', async () => {
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
  ])('causes a failure when the store returns %i: %s', async (status, kind) => {
    answer = (_request, response) => response.writeHead(status).end('<Error/>');
    const failure = await tailOf(10).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'Failure', kind, message: expect.stringContaining(PATH) });
  });

  it.each([
    ['drops the connection', (socket: { destroy(): void }) => socket.destroy()],
    ['does not respond', () => {}],
  ])(
    'is unavailable when the store %s, and the failure does not contain the signature',
    async (_name, act) => {
      answer = (request) => act(request.socket);
      const failure = await tailOf(10, { timeoutMs: 200 }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: 'Failure', kind: 'unavailable' });
      expect(failure instanceof Error && `${failure.stack} ${failure.cause}`).not.toContain('SIGNATURE');
    },
  );

  it.each([
    ['without a location', { location: '' }],
    ['to an invalid URL', { location: '//' }],
    ['to a file', { location: 'file:///etc/passwd' }],
    ['to plain HTTP, although the API uses HTTPS', { apiUrl: 'https://api.github.com' }],
  ])('is not requested when GitHub redirects %s', async (_name, options) => {
    await expect(tailOf(10, options)).rejects.toMatchObject({ kind: 'invalid-data' });
    expect(asked).toEqual([]);
  });
});
