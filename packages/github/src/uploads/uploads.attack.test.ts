import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { MAX_UPLOAD_BYTES, type PlacedUpload } from '@mergexo/core/attachments';
import { patiently } from '@mergexo/testkit';
import { createGitHub } from '../create-github.js';
import { createFetch } from '../http/create-fetch.js';
import { aConnection } from '../testing/a-github-client.js';
import { download } from './download.js';

const GUID = '906b9fda-e752-47c5-a17a-6c2cc8bd4856';
const OTHER_GUID = '11111111-e752-47c5-a17a-6c2cc8bd4856';
const TOKEN = 'ghp_canary_0123456789';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const ASSET = `/user-attachments/assets/${GUID}`;
const FILE = '/user-attachments/files/1/notes.txt';
const BOMB = gzipSync(Buffer.alloc(50_000_000));

type Host = {
  url: string;
  port: number;
  requests: IncomingMessage[];
  answer: RequestListener;
  close(): Promise<void>;
};

async function listen(): Promise<Host> {
  const requests: IncomingMessage[] = [];
  const host: Host = {
    url: '',
    port: 0,
    requests,
    answer: (_request, response) => response.writeHead(404).end(),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const server: Server = createServer((request, response) => {
    requests.push(request);
    host.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  host.port = typeof address === 'object' && address ? address.port : 0;
  host.url = `http://127.0.0.1:${host.port}`;
  return host;
}

describe('an attacker who controls an upload', () => {
  let github: Host;
  let other: Host;
  beforeEach(async () => {
    [github, other] = await Promise.all([listen(), listen()]);
    other.answer = (_request, response) => response.end(PNG);
  });
  afterEach(async () => {
    await Promise.all([github.close(), other.close()]);
  });

  const fetchUpload = (path: string, timeoutMs = patiently(3_000)) => {
    const connection = aConnection({ apiUrl: github.url, token: async () => TOKEN, timeoutMs });
    const upload: PlacedUpload = {
      url: `${github.url}${path}`,
      source: 'comment 5 by alice',
      isNew: true,
      problem: null,
      place: { kind: 'comment', id: 5 },
    };
    return createGitHub(connection).fetchUpload('acme/app', upload);
  };
  const redirect =
    (location: string): RequestListener =>
    (_request, response) =>
      response.writeHead(302, { location }).end();
  const tokensAt = ({ requests }: Host): string[] =>
    requests.flatMap(({ headers }) => headers.authorization ?? []);
  const missing = (problem: string) => ({ kind: 'missing', problem });

  it.each<[string, (hosts: { github: Host; other: Host }) => string]>([
    ['another port of loopback', (hosts) => `${hosts.other.url}/x.png`],
    ['another name of loopback', (hosts) => `http://localhost:${hosts.github.port}/x.png`],
    ['another form of the address', (hosts) => `http://[::ffff:127.0.0.1]:${hosts.github.port}/x.png`],
    ['a user name', (hosts) => `http://me@127.0.0.1:${hosts.github.port}/x.png`],
    ['a host after a user name', (hosts) => `${hosts.github.url}@127.0.0.1:${hosts.other.port}/x.png`],
    ['a name that ends like the host', (hosts) => `http://evil.127.0.0.1:${hosts.other.port}/x.png`],
    ['a URL without a scheme', (hosts) => `//127.0.0.1:${hosts.other.port}/x.png`],
    ['another scheme', () => 'file:///etc/passwd'],
    ['a cloud metadata address', () => 'http://169.254.169.254/latest/meta-data'],
    ['no URL', () => 'http://'],
  ])('cannot redirect the download to %s', async (_name, locate) => {
    github.answer = redirect(locate({ github, other }));
    expect(await fetchUpload(ASSET)).toEqual(missing('foreign_redirect'));
    expect(other.requests).toEqual([]);
    expect(github.requests).toHaveLength(1);
  });

  it('cannot reach another server at the end of a chain of redirects', async () => {
    github.answer = ({ url }, response) => {
      const location = url === '/b' ? `${other.url}/x.png` : url === '/a' ? '/b' : '/a';
      response.writeHead(302, { location }).end();
    };
    expect(await fetchUpload(ASSET)).toEqual(missing('foreign_redirect'));
    expect(other.requests).toEqual([]);
  });

  it('cannot redirect forever', async () => {
    github.answer = redirect('/again');
    expect(await fetchUpload(ASSET)).toEqual(missing('foreign_redirect'));
    expect(github.requests).toHaveLength(4);
  });

  it('cannot get the token with a private file: no other server and no later hop gets it', async () => {
    github.answer = ({ url, headers }, response) => {
      if (url === '/stored') return void response.end('private notes');
      const location = headers.authorization === undefined ? undefined : '/stored';
      return void response.writeHead(location ? 302 : 404, location ? { location } : {}).end();
    };
    expect(await fetchUpload(FILE)).toMatchObject({ kind: 'file', type: 'txt' });
    expect(tokensAt(github)).toEqual([`token ${TOKEN}`]);
    expect(github.requests.at(-1)?.headers.authorization).toBeUndefined();

    github.answer = ({ headers }, response) =>
      void response
        .writeHead(headers.authorization === undefined ? 404 : 302, { location: `${other.url}/steal` })
        .end();
    expect(await fetchUpload(FILE)).toEqual(missing('foreign_redirect'));
    expect(other.requests).toEqual([]);
  });

  it('cannot get the token for a file on a store, even if the store is asked first', async () => {
    const hosts = { web: github.url, stores: [other.url] };
    const options = {
      hosts,
      userAgent: 'test',
      timeoutMs: patiently(3_000),
      fetch: createFetch(),
      token: TOKEN,
    };
    expect(await download(`${other.url}/x.png`, options)).toMatchObject({ kind: 'file' });
    expect(other.requests).toHaveLength(1);
    expect(tokensAt(other)).toEqual([]);
  });

  it('cannot choose the signed URL with decoys in the text', async () => {
    const good = `/store/42-${GUID}.png?sig=good`;
    const decoys = [
      `${other.url}/42-${GUID}.png?sig=1`,
      `${github.url}/store/42-${OTHER_GUID}.png?guid=${GUID}`,
      `${github.url}/${GUID}/42-${OTHER_GUID}.png?sig=2`,
      `${github.url}/store/x-${GUID}.png?sig=3`,
      `http://me@127.0.0.1:${github.port}/store/42-${GUID}.png?sig=4`,
    ];
    const html = [...decoys, `${github.url}${good}`].map((url) => `<img src="${url}">`).join('');
    github.answer = ({ url = '' }, response) => {
      if (url.startsWith('/repos/'))
        return void response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ body_html: html }));
      if (url === good) return void response.end(PNG);
      return void response.writeHead(404).end();
    };
    expect(await fetchUpload(ASSET)).toMatchObject({ kind: 'file', type: 'png' });
    expect(github.requests.map(({ url }) => url)).toEqual([ASSET, '/repos/acme/app/issues/comments/5', good]);
    expect(tokensAt(github)).toHaveLength(1);
    expect(other.requests).toEqual([]);
  });

  it.each<[string, RequestListener, string]>([
    [
      'claims 11 MB',
      (_request, response) => void response.writeHead(200, { 'content-length': 11_000_000 }).write(PNG),
      'too_large',
    ],
    [
      'has an endless body',
      (_request, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', more);
        more();
      },
      'too_large',
    ],
    [
      'is a compression bomb',
      (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
      'too_large',
    ],
    [
      'has a byte more than allowed',
      (_request, response) => void response.end(Buffer.concat([PNG, Buffer.alloc(MAX_UPLOAD_BYTES)])),
      'too_large',
    ],
    [
      'claims more bytes than it sends',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 100 }).write(PNG);
        setTimeout(() => response.destroy(), 50);
      },
      'unavailable',
    ],
    ['never ends its headers', () => {}, 'unavailable'],
    ['sends a byte and stops', (_request, response) => void response.write('x'), 'unavailable'],
    [
      'is HTML with the type of an image',
      (_request, response) => void response.setHeader('content-type', 'image/png').end('<html>'),
      'wrong_type',
    ],
    [
      'is SVG',
      (_request, response) => void response.setHeader('content-type', 'image/png').end('<svg/>'),
      'wrong_type',
    ],
  ])('cannot make MergeXO accept a file that %s', async (_name, answer, problem) => {
    github.answer = answer;
    expect(await fetchUpload(ASSET, problem === 'unavailable' ? 400 : patiently(3_000))).toEqual(
      missing(problem),
    );
  });

  it('can still upload a file of exactly the allowed size', async () => {
    const bytes = Buffer.concat([PNG, Buffer.alloc(MAX_UPLOAD_BYTES - PNG.length)]);
    github.answer = (_request, response) => response.end(bytes);
    const fetched = await fetchUpload(ASSET);
    expect(fetched.kind === 'file' && fetched.bytes.equals(bytes)).toBe(true);
  });

  it.each([
    [403, 'expired'],
    [404, 'not_readable'],
    [410, 'not_readable'],
    [500, 'unavailable'],
  ])('makes the download fail with a reason if the file server returns %i', async (status, problem) => {
    const html = `<img src="${github.url}/1-${GUID}.png?sig=1">`;
    github.answer = ({ url = '' }, response) => {
      if (url.startsWith('/repos/'))
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ body_html: html }));
      else response.writeHead(url === ASSET ? 404 : status).end();
    };
    expect(await fetchUpload(ASSET)).toEqual(missing(problem));
  });
});
