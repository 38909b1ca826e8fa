import { mint, startWithApp } from '../../testing/an-app.js';
import { ask } from '../../testing/ask.js';
import { git, withToken } from '../../testing/git.js';
import { at, each } from '../../testing/json-fields.js';
import { AT, makeTempDir, REPO } from '../../testing/test-twin.js';

const viewer = { query: '{ viewer { login databaseId } }' };

describe('an installation token', () => {
  it('has the format of GitHub’s new tokens, lists its limits and is valid for an hour', async () => {
    const { twin, clock } = await startWithApp();
    const { status, body, token } = await mint(twin);
    expect(status).toBe(201);
    expect(token).toMatch(/^ghs_\d+_eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+$/);
    expect(token.length).toBeGreaterThan(480);
    expect(token.length).toBeLessThan(560);
    expect(Date.parse(String(at(body, 'expires_at')))).toBe(clock.now() + 3_600_000);
    expect([at(body, 'permissions', 'issues'), at(body, 'repository_selection')]).toEqual([
      'write',
      'selected',
    ]);
    clock.advance(3_599_000);
    expect((await ask(twin, `GET ${AT}`, { token })).status).toBe(200);
    clock.advance(1_000);
    expect((await ask(twin, `GET ${AT}`, { token })).status).toBe(401);
  });

  it('is valid for as long as a test configures', async () => {
    const { twin, clock } = await startWithApp({ quirks: { installationTokenSeconds: 60 } });
    const { token } = await mint(twin);
    clock.advance(60_000);
    expect((await ask(twin, `GET ${AT}`, { token })).status).toBe(401);
  });

  it('can read its own account only through GraphQL, has no scopes, and has its own rate limit', async () => {
    const { twin, app } = await startWithApp();
    const { token } = await mint(twin);
    const asked = await ask(twin, 'POST /graphql', { token, body: viewer });
    expect(at(asked.body, 'data', 'viewer')).toEqual({ login: 'mergexo[bot]', databaseId: app.botId });
    const refused = await ask(twin, 'GET /user', { token });
    expect([refused.status, at(refused.body, 'message')]).toEqual([
      403,
      'Resource not accessible by integration',
    ]);
    expect([refused.headers.get('x-oauth-scopes'), refused.headers.get('x-ratelimit-limit')]).toEqual([
      null,
      '5000',
    ]);
    expect(twin.control.ledger('mergexo[bot]').counted).toBe(2);
  });

  it('has 50 more requests an hour for each repository beyond 20, up to 12,500', async () => {
    const { twin, app } = await startWithApp();
    const { repos } = twin.world.store;
    const limitWith = async (count: number) => {
      const [first] = repos.all();
      for (let id = repos.all().length; first && id < count; id += 1)
        repos.put({ ...first, id, name: `app-${id}` });
      const { headers } = await ask(twin, `GET ${AT}`, { token: app.token('acme') });
      return Number(headers.get('x-ratelimit-limit'));
    };
    app.selectRepositories('acme');
    expect([await limitWith(20), await limitWith(39), await limitWith(200)]).toEqual([5_000, 5_950, 12_500]);
  });

  it('may be limited to repositories and permissions of its installation', async () => {
    const { twin, app } = await startWithApp();
    const repo = await ask(twin, `GET ${AT}`);
    const { body, token } = await mint(twin, {
      repository_ids: [at(repo.body, 'id')],
      permissions: { contents: 'read' },
    });
    expect(at(body, 'permissions')).toEqual({ contents: 'read', metadata: 'read' });
    expect(each(at(body, 'repositories'), 'full_name')).toEqual([REPO]);
    const listed = await ask(twin, 'GET /installation/repositories', { token });
    expect([at(listed.body, 'total_count'), at(listed.body, 'repository_selection')]).toEqual([
      1,
      'selected',
    ]);
    const named = await mint(twin, { repositories: ['app'] });
    expect(named.status).toBe(201);
    app.selectRepositories('acme', []);
    expect((await ask(twin, `GET ${AT}`, { token })).status).toBe(404);
  });

  it.each([
    ['an unknown repository', { repositories: ['nothing'] }, /^There is at least one repository/],
    ['a permission that was not granted', { permissions: { workflows: 'write' } }, /not granted/],
    ['a higher level than granted', { permissions: { issues: 'admin' } }, /^/],
  ])('is not created for %s', async (_, wanted, message) => {
    const { twin } = await startWithApp();
    const { status, body } = await mint(twin, wanted);
    expect([status, at(body, 'message')]).toEqual([422, expect.stringMatching(message)]);
  });

  it('becomes invalid when it is revoked', async () => {
    const { twin } = await startWithApp();
    const { token } = await mint(twin);
    const other = await mint(twin);
    expect((await ask(twin, 'DELETE /installation/token', { token })).status).toBe(204);
    expect((await ask(twin, `GET ${AT}`, { token })).status).toBe(401);
    expect((await ask(twin, `GET ${AT}`, { token: other.token })).status).toBe(200);
    expect((await ask(twin, 'DELETE /installation/token')).status).toBe(403);
  });

  it('becomes invalid when the installation is suspended, and is not replaced before the suspension ends', async () => {
    const { twin, app } = await startWithApp();
    const { token } = await mint(twin);
    app.suspend('acme');
    expect((await ask(twin, `GET ${AT}`, { token })).status).toBe(401);
    const refused = await mint(twin);
    expect([refused.status, at(refused.body, 'message')]).toEqual([
      403,
      'This installation has been suspended',
    ]);
    app.unsuspend('acme');
    expect((await mint(twin)).status).toBe(201);
    expect((await ask(twin, `GET ${AT}`, { token })).status).toBe(401);
  });

  it('becomes invalid when its installation is deleted', async () => {
    const { twin, app, jwt } = await startWithApp();
    const { token } = await mint(twin);
    const path = `POST /app/installations/${app.installationId('acme')}/access_tokens`;
    app.uninstall('acme');
    expect((await ask(twin, `GET ${AT}`, { token })).status).toBe(401);
    expect((await ask(twin, path, { token: jwt() })).status).toBe(404);
  });

  it('becomes invalid when its App gives up a permission; added permissions count only after they are accepted', async () => {
    const { twin, app } = await startWithApp();
    const { token } = await mint(twin);
    app.setPermissions({ issues: 'read', workflows: 'write' });
    expect((await ask(twin, `GET ${AT}`, { token })).status).toBe(401);
    expect(at((await mint(twin)).body, 'permissions')).toEqual({ issues: 'read', metadata: 'read' });
    app.acceptPermissions('acme');
    expect(at((await mint(twin)).body, 'permissions', 'workflows')).toBe('write');
  });

  it('is refused while it is new, if a fault says so', async () => {
    const { twin, clock } = await startWithApp();
    const fault = twin.control.fault({ kind: 'token-lag', seconds: 3 });
    const { token } = await mint(twin);
    const status = async () => (await ask(twin, `GET ${AT}`, { token })).status;
    expect([await status(), fault.hits()]).toEqual([401, 2]);
    clock.advance(3_000);
    expect(await status()).toBe(200);
    expect((await ask(twin, `GET ${AT}`)).status).toBe(200);
  });

  it('clones and pushes over HTTP, only in its repositories', async () => {
    const { twin, app } = await startWithApp();
    const url = (token: string) => withToken(twin.gitUrl('acme', 'app'), token);
    const dir = makeTempDir();
    expect((await git(dir, 'clone', '-q', url(app.token('acme')), 'app')).code).toBe(0);
    const push = (token: string) => git(`${dir}/app`, 'push', url(token), 'HEAD:refs/heads/topic');
    expect((await push(app.token('acme'))).code).toBe(0);
    app.selectRepositories('acme', []);
    expect((await push(app.token('acme'))).code).not.toBe(0);
  });
});
