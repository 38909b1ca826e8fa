import { ask } from '../testing/ask.js';
import { mustGit, withToken } from '../testing/git.js';
import { at, each } from '../testing/json-fields.js';
import { AT, listNotModified, REPO, startTestTwin, tolerate } from '../testing/test-twin.js';

describe('a REST request', () => {
  it('works under / and /api/v3, and the links in the response have the same prefix', async () => {
    const twin = await startTestTwin();
    expect(at((await ask(twin, `GET ${AT}`)).body, 'url')).toBe(`${twin.url}${AT}`);
    expect(at((await ask(twin, `GET /api/v3${AT}`)).body, 'url')).toBe(`${twin.url}/api/v3${AT}`);
  });

  it('needs a valid token and a user agent', async () => {
    const twin = await startTestTwin();
    expect((await fetch(`${twin.url}/user`)).status).toBe(401);
    expect((await ask(twin, 'GET /user', { token: 'ghp_wrong' })).status).toBe(401);
    expect((await ask(twin, 'GET /user', { headers: { 'user-agent': '' } })).status).toBe(403);
    twin.control.expireToken('alice');
    expect(at((await ask(twin, 'GET /user')).body, 'message')).toBe('Bad credentials');
  });

  it('with an invalid token gets the rate limit of anonymous requests, except from the routes of Apps', async () => {
    const twin = await startTestTwin();
    const limitOf = async (path: string) =>
      (await ask(twin, `GET ${path}`, { token: 'ghp_wrong' })).headers.get('x-ratelimit-limit');
    expect([await limitOf('/user'), await limitOf('/app')]).toEqual(['60', null]);
    expect((await ask(twin, 'GET /user')).headers.get('x-ratelimit-limit')).toBe('5000');
  });

  it('that creates something gets a strong ETag, and other writes none', async () => {
    const twin = await startTestTwin();
    const created = await ask(twin, `POST ${AT}/issues`, { body: { title: 'T' } });
    expect([created.status, created.headers.get('etag')]).toEqual([
      201,
      expect.stringMatching(/^"[0-9a-f]{64}"$/),
    ]);
    const edited = await ask(twin, `PATCH ${AT}/issues/1`, { body: { title: 'U' } });
    expect(edited.headers.get('etag')).toBeNull();
  });

  it('cannot see repositories that its user or token cannot access', async () => {
    const twin = await startTestTwin({
      seed: {
        users: [{ login: 'alice' }, { login: 'bob' }, { login: 'weak', scopes: ['public_repo'] }],
        repos: [
          { name: 'alice/hidden', permissions: { weak: 'write' } },
          { name: 'alice/open', private: false, permissions: { weak: 'write' } },
        ],
      },
    });
    const status = async (request: string, as: string, body?: object) =>
      (await ask(twin, request, { as, ...(body && { body }) })).status;
    expect(await status('GET /repos/alice/hidden', 'bob')).toBe(404);
    expect(await status('GET /repos/alice/hidden', 'weak')).toBe(404);
    expect(await status('GET /repos/alice/open', 'bob')).toBe(200);
    expect(await status('POST /repos/alice/open/labels', 'bob', { name: 'x' })).toBe(403);
    expect(await status('POST /repos/alice/open/labels', 'weak', { name: 'x' })).toBe(201);
  });

  it('gets an ETag that is valid only for its token, and a 304 that does not count towards the rate limit', async () => {
    const twin = await startTestTwin();
    const first = await ask(twin, `GET ${AT}/issues`);
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect(first.headers.get('etag')).toMatch(/^W\/"/);
    expect((await ask(twin, `GET ${AT}/issues`, { headers })).status).toBe(304);
    expect((await ask(twin, `GET ${AT}/issues`, { headers, as: 'bob' })).status).toBe(200);
    await twin.as('bob').openIssue(REPO, { title: 'New' });
    expect((await ask(twin, `GET ${AT}/issues`, { headers })).status).toBe(200);
    expect([twin.control.ledger('alice').counted, listNotModified(twin).length]).toEqual([2, 1]);
  });

  it('is rejected if a parameter, field or value is unknown', async () => {
    const twin = await startTestTwin();
    const message = async (request: string, body?: object) =>
      at((await ask(twin, request, body ? { body } : {})).body, 'message');
    expect(await message(`GET ${AT}/pulls?since=2020-01-01T00:00:00Z`)).toContain(
      'no query parameter "since"',
    );
    expect(await message(`GET ${AT}/pulls?state=merged`)).toContain('query parameter "state=merged"');
    expect(await message(`POST ${AT}/issues`, { title: 'T', labelz: [] })).toContain(
      'no body field "labelz"',
    );
    expect(await message(`POST ${AT}/issues`, { title: ['T'] })).toContain('Invalid request');
    expect(await message(`POST ${AT}/issues`, {})).toContain('"title" wasn\'t supplied');
  });

  it('gets status 500 if the twin’s response violates GitHub’s schema, and the violation is recorded', async () => {
    const twin = await startTestTwin();
    twin.control.set({
      tamper: (_route, body) =>
        typeof body === 'object' && body !== null ? { ...body, full_name: undefined } : body,
    });
    tolerate(/full_name|no such route/);
    const answer = await ask(twin, `GET ${AT}`);
    expect([answer.status, at(answer.body, 'message')]).toEqual([
      500,
      expect.stringContaining("must have required property 'full_name'"),
    ]);
    expect(twin.control.violations()).toHaveLength(1);
    expect((await ask(twin, `GET ${AT}/stargazers`)).status).toBe(404);
    expect(twin.control.violations()).toHaveLength(2);
  });

  it('is redirected if it uses the former name of a repository, even with a subpath or a body', async () => {
    const twin = await startTestTwin();
    const id = at((await ask(twin, `GET ${AT}`)).body, 'id');
    twin.control.rename(REPO, 'renamed');
    const moved = await ask(twin, `GET /api/v3${AT}/labels?per_page=1`);
    expect([moved.status, moved.headers.get('location')]).toEqual([
      301,
      `${twin.url}/api/v3/repositories/${id}/labels?per_page=1`,
    ]);
    const headers = { authorization: `token ${twin.tokens['alice']}` };
    const labels = await (await fetch(`${twin.url}${AT}/labels?per_page=1`, { headers })).json();
    expect(each(labels, 'name')).toEqual(['bug']);
    expect((await ask(twin, `POST ${AT}/issues`, { body: { title: 'T' } })).status).toBe(307);
    const body = JSON.stringify({ title: 'T' });
    const posted = await fetch(`${twin.url}${AT}/issues`, { method: 'POST', headers, body });
    expect([posted.status, at(await posted.json(), 'number')]).toEqual([201, 1]);
    twin.control.setPermission('acme/renamed', 'carol', null);
    expect((await ask(twin, `GET ${AT}`, { as: 'carol' })).status).toBe(404);
    const remote = withToken(twin.gitUrl('acme', 'app'), twin.tokens['bob'] ?? '');
    expect(await mustGit('/', 'ls-remote', remote, 'main')).toContain('refs/heads/main');
  });

  it('can read an archived repository but not change it', async () => {
    const twin = await startTestTwin();
    twin.control.rename(REPO, 'renamed');
    twin.control.archive('acme/renamed', true);
    expect((await ask(twin, 'GET /repos/acme/renamed')).status).toBe(200);
    expect((await ask(twin, 'POST /repos/acme/renamed/issues', { body: { title: 'T' } })).status).toBe(403);
  });
});

describe('an idle poll over 100 open pull requests', () => {
  it('gets only 304 responses', async () => {
    const twin = await startTestTwin();
    const bob = twin.as('bob');
    const sha = await bob.pushFiles(REPO, 'topic', { 'file.txt': 'x\n' });
    for (let index = 0; index < 100; index += 1) {
      await bob.request('POST', `${AT}/git/refs`, { ref: `refs/heads/topic-${index}`, sha });
      await bob.openPull(REPO, { title: `Topic ${index}`, head: `topic-${index}` });
    }
    const since = 'since=2020-01-01T00:00:00Z&sort=updated&direction=desc&per_page=100';
    const feeds = [
      '/pulls?state=open&sort=updated&direction=desc&per_page=100',
      `/issues/comments?${since}`,
      `/pulls/comments?${since}`,
      `/issues?state=all&${since}`,
      '/actions/runs?per_page=100',
    ];
    const etags = new Map<string, string>();
    const poll = async () => {
      const statuses: number[] = [];
      for (const feed of feeds) {
        const answer = await ask(twin, `GET ${AT}${feed}`, {
          headers: { 'if-none-match': etags.get(feed) ?? '' },
        });
        etags.set(feed, answer.headers.get('etag') ?? '');
        statuses.push(answer.status);
      }
      return statuses;
    };
    expect(await poll()).toEqual([200, 200, 200, 200, 200]);
    for (let cycle = 0; cycle < 10; cycle += 1) expect(await poll()).toEqual([304, 304, 304, 304, 304]);
    expect([twin.control.ledger('alice').counted, listNotModified(twin).length]).toEqual([5, 50]);
  });
});
