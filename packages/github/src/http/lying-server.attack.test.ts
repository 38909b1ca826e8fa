import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGitHub } from '../create-github.js';
import { aConnection, REPO } from '../testing/a-github-client.js';

describe('an API server that lies', () => {
  const servers: Server[] = [];
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });

  it.each([301, 302, 303, 307, 308])('cannot send requests to another server with %i', async (status) => {
    const asked: string[] = [];
    const other = await serve(({ method, url }, response) => {
      asked.push(`${method} ${url}`);
      response.setHeader('content-type', 'application/json');
      response.end('{"id":1,"login":"x","type":"User"}');
    });
    const apiUrl = await serve((_request, response) => {
      response.writeHead(status, { location: `${other}/stolen` }).end();
    });
    const github = createGitHub(aConnection({ apiUrl }));
    await expect(github.fetchViewer()).rejects.toMatchObject({ kind: 'invalid-data' });
    await expect(github.postIssueComment(REPO, 1, 'private text')).rejects.toMatchObject({
      kind: 'unknown-outcome',
    });
    expect(asked).toEqual([]);
  });

  it('cannot redirect a write to another repository', async () => {
    const asked: (string | undefined)[] = [];
    const apiUrl = await serve(({ url }, response) => {
      asked.push(url);
      response.writeHead(307, { location: '/repos/acme/moved/issues/1/comments' }).end();
    });
    const github = createGitHub(aConnection({ apiUrl }));
    await expect(github.postIssueComment(REPO, 1, 'text')).rejects.toThrow('change its owner and name');
    expect(asked).toEqual([`/repos/${REPO}/issues/1/comments`]);
  });

  it('cannot keep a read busy with an endless list', async () => {
    let asked = 0;
    const apiUrl = await serve(({ headers }, response) => {
      asked += 1;
      response.setHeader('content-type', 'application/json');
      response.setHeader('link', `<http://${headers.host}/endless?page=${asked}>; rel="next"`);
      response.end('[]');
    });
    const github = createGitHub(aConnection({ apiUrl }));
    const read = github.fetchIssuesFeed(REPO, { since: null, etag: null });
    await expect(read).rejects.toThrow('a list of more than 1000 pages');
    expect(asked).toBe(1_000);
  }, 60_000);
});
