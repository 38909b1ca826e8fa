import { restRoutes } from '../routes/index.js';
import { startWithApp } from '../testing/an-app.js';
import { ask } from '../testing/ask.js';
import { commitFile, git, mustGit, withToken } from '../testing/git.js';
import { at } from '../testing/json-fields.js';
import { AT, makeTempDir, REPO } from '../testing/test-twin.js';
import { needsOf } from './route-permissions.js';

const INTEGRATION = 'Resource not accessible by integration';

describe('the permissions of an App', () => {
  it('are known for every route of a repository', () => {
    const below = restRoutes.filter(({ template, auth }) => template.startsWith('/repos/') && !auth);
    expect(below.length).toBeGreaterThan(60);
    expect(below.filter(({ method, template }) => !needsOf(method, template))).toEqual([]);
  });

  it.each([
    ['GET', '/issues', 'issues=read', { pull_requests: 'write' }, undefined],
    ['GET', '/pulls', 'pull_requests=read', { issues: 'write', contents: 'write' }, undefined],
    ['POST', '/labels', 'issues=write; pull_requests=write', { issues: 'read' }, { name: 'x' }],
    ['GET', '/contents/README.md', 'contents=read', { issues: 'write' }, undefined],
    ['GET', '/commits/main/check-runs', 'checks=read', { statuses: 'write' }, undefined],
    ['POST', '/issues/1/reactions', 'issues=write', { pull_requests: 'write' }, { content: 'eyes' }],
  ] as const)('are checked: %s %s needs %s', async (method, path, needed, permissions, body) => {
    const { twin, app } = await startWithApp();
    const refused = await ask(twin, `${method} ${AT}${path}`, {
      token: app.token('acme', { permissions }),
      ...(body && { body }),
    });
    expect([refused.status, at(refused.body, 'message')]).toEqual([403, INTEGRATION]);
    expect(refused.headers.get('x-accepted-github-permissions')).toBe(needed);
    expect(twin.history.list('request').at(-1)?.permissions).toEqual([]);
  });

  it('suffice alone where GitHub accepts one of several', async () => {
    const { twin, app } = await startWithApp();
    await twin.as('alice').openIssue(REPO, { title: 'T' });
    const post = (permissions: Record<string, 'read' | 'write'>) =>
      ask(twin, `POST ${AT}/issues/1/comments`, {
        token: app.token('acme', { permissions }),
        body: { body: 'hi' },
      });
    expect([
      (await post({ issues: 'write' })).status,
      (await post({ pull_requests: 'write' })).status,
    ]).toEqual([201, 201]);
    expect((await post({ issues: 'read', pull_requests: 'read' })).status).toBe(403);
  });

  it('do not matter for reads that every token may do, or for personal tokens', async () => {
    const { twin, app } = await startWithApp();
    const token = app.token('acme', { permissions: {} });
    const own = await ask(twin, 'GET /users/alice', { token });
    expect([own.status, own.headers.get('x-accepted-github-permissions')]).toEqual([
      200,
      'allows_permissionless_access=true',
    ]);
    expect((await ask(twin, `GET ${AT}`, { token })).status).toBe(200);
    const personal = await ask(twin, `GET ${AT}/issues`);
    expect(personal.headers.get('x-accepted-github-permissions')).toBeNull();
  });

  it('are checked in GraphQL: resolving a thread needs write access to the contents', async () => {
    const { twin, app } = await startWithApp();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    await twin.as('alice').reviewComment(REPO, number, { path: 'a.txt', line: 1, body: 'why?' });
    const query = `{ repository(owner: "acme", name: "app") { pullRequest(number: ${number}) { reviewThreads(first: 9) { nodes { id } } } } }`;
    const graph = (permissions: Record<string, 'read' | 'write'>, text: string) =>
      ask(twin, 'POST /graphql', { token: app.token('acme', { permissions }), body: { query: text } });
    const threads = await graph({ pull_requests: 'read' }, query);
    const id = at(threads.body, 'data', 'repository', 'pullRequest', 'reviewThreads', 'nodes', 0, 'id');
    expect(id).toMatch(/^PRRT_/);
    expect(at((await graph({ issues: 'write' }, query)).body, 'errors', 0, 'type')).toBe('FORBIDDEN');
    const resolve = `mutation { resolveReviewThread(input: { threadId: "${id}" }) { thread { isResolved } } }`;
    const refused = await graph({ pull_requests: 'write' }, resolve);
    expect([at(refused.body, 'errors', 0, 'type'), at(refused.body, 'errors', 0, 'message')]).toEqual([
      'FORBIDDEN',
      INTEGRATION,
    ]);
    const done = await graph({ contents: 'write' }, resolve);
    expect(at(done.body, 'data', 'resolveReviewThread', 'thread', 'isResolved')).toBe(true);
  });

  it('are checked by git: contents to fetch and push, and workflows to push a workflow', async () => {
    const { twin, app } = await startWithApp();
    app.setPermissions({ contents: 'write', issues: 'write', workflows: 'write' });
    app.acceptPermissions('acme');
    const url = (permissions: Record<string, 'read' | 'write'>) =>
      withToken(twin.gitUrl('acme', 'app'), app.token('acme', { permissions }));
    const dir = makeTempDir();
    expect((await git(dir, 'clone', '-q', url({ issues: 'write' }), 'no')).stderr).toContain('403');
    expect((await git(dir, 'clone', '-q', url({ contents: 'read' }), 'app')).code).toBe(0);
    await commitFile(`${dir}/app`, '.github/workflows/ci.yml', 'on: push\n');
    const push = (permissions: Record<string, 'read' | 'write'>) =>
      git(`${dir}/app`, 'push', url(permissions), 'HEAD:refs/heads/topic');
    expect((await push({ contents: 'read' })).stderr).toContain('403');
    expect((await push({ contents: 'write' })).stderr).toContain(
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission',
    );
    expect((await push({ contents: 'write', workflows: 'write' })).code).toBe(0);
    expect(await mustGit(`${dir}/app`, 'ls-remote', url({ contents: 'read' }), 'topic')).not.toBe('');
  });

  it('are listed with the routes that used them', async () => {
    const { twin, app } = await startWithApp({ controlEndpoint: true });
    const token = app.token('acme');
    await ask(twin, `GET ${AT}/issues`, { token });
    await ask(twin, `GET ${AT}/pulls`, { token });
    await ask(twin, `POST ${AT}/issues`, { token, body: { title: 'T' } });
    await ask(twin, `GET ${AT}/issues/99`, { token });
    await ask(twin, `GET ${AT}/labels`, { token: twin.tokens['alice'] ?? '' });
    const expected = [
      {
        permission: 'issues',
        level: 'write',
        routes: ['GET /repos/{owner}/{repo}/issues', 'POST /repos/{owner}/{repo}/issues'],
      },
      { permission: 'pull_requests', level: 'read', routes: ['GET /repos/{owner}/{repo}/pulls'] },
    ];
    expect(twin.permissionsUsed()).toEqual(expected);
    expect(await (await fetch(`${twin.url}/_twin/permissions`)).json()).toEqual(expected);
  });
});

it('lets an App’s commits, whose addresses contain [bot], appear in workflow runs', async () => {
  const { twin, app } = await startWithApp();
  await twin.as(app.login).pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
  twin.actions.start(REPO, { branch: 'topic', by: 'bob' });
  const runs = await ask(twin, `GET ${AT}/actions/runs`);
  const email = at(runs.body, 'workflow_runs', 0, 'head_commit', 'author', 'email');
  expect([runs.status, email]).toEqual([200, `${app.botId}+mergexo[bot]@users.noreply.github.com`]);
});

describe('an App', () => {
  it('cannot approve its own pull request, but may approve others', async () => {
    const { twin, app } = await startWithApp();
    const token = app.token('acme');
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    await twin.as('bob').pushFiles(REPO, 'other', { 'b.txt': 'b\n' });
    const body = { title: 'T', head: 'topic', base: 'main' };
    const own = at((await ask(twin, `POST ${AT}/pulls`, { token, body })).body, 'number');
    const foreign = await twin.as('bob').openPull(REPO, { title: 'T', head: 'other' });
    const approve = (number: unknown) =>
      ask(twin, `POST ${AT}/pulls/${number}/reviews`, { token, body: { event: 'APPROVE' } });
    expect(at((await approve(own)).body, 'errors', 0)).toBe('Can not approve your own pull request');
    expect((await approve(foreign)).status).toBe(200);
  });

  it('cannot be requested as a reviewer', async () => {
    const { twin, app } = await startWithApp();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    twin.control.setPermission(REPO, app.login, 'write');
    const refused = await ask(twin, `POST ${AT}/pulls/${number}/requested_reviewers`, {
      body: { reviewers: [app.login] },
    });
    expect([refused.status, at(refused.body, 'errors', 0)]).toEqual([
      422,
      expect.stringContaining('Reviews may only be requested from collaborators'),
    ]);
  });
});
