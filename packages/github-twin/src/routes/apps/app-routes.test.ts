import { startWithApp } from '../../testing/an-app.js';
import { ask } from '../../testing/ask.js';
import { at, each } from '../../testing/json-fields.js';
import { AT, REPO } from '../../testing/test-twin.js';

describe('an App', () => {
  it('belongs to an account and has a bot with another id', async () => {
    const { twin, app, jwt } = await startWithApp();
    const { body } = await ask(twin, 'GET /app', { token: jwt() });
    expect([at(body, 'owner', 'login'), at(body, 'permissions', 'metadata')]).toEqual(['alice', 'read']);
    const bot = await ask(twin, 'GET /users/mergexo%5Bbot%5D', { token: app.token('acme') });
    expect([at(bot.body, 'id'), at(bot.body, 'type'), at(bot.body, 'login')]).toEqual([
      app.botId,
      'Bot',
      'mergexo[bot]',
    ]);
    expect(app.botId).not.toBe(app.id);
    expect(at(bot.body, 'html_url')).toBe(`${twin.url}/apps/mergexo`);
    expect(at((await ask(twin, 'GET /apps/mergexo')).body, 'client_id')).toBe(app.clientId);
  });

  it('finds its installation on a repository', async () => {
    const { twin, app, jwt } = await startWithApp();
    const { body } = await ask(twin, `GET ${AT}/installation`, { token: jwt() });
    expect([at(body, 'id'), at(body, 'repository_selection'), at(body, 'target_type')]).toEqual([
      app.installationId('acme'),
      'selected',
      'Organization',
    ]);
    const one = await ask(twin, `GET /app/installations/${at(body, 'id')}`, { token: jwt() });
    expect(one.body).toEqual(body);
    expect(each((await ask(twin, 'GET /app/installations', { token: jwt() })).body, 'id')).toEqual([
      at(body, 'id'),
    ]);
  });

  it('finds no installation that does not cover the repository, is gone, or belongs to another App', async () => {
    const { twin, app, jwt } = await startWithApp();
    const find = async () => (await ask(twin, `GET ${AT}/installation`, { token: jwt() })).status;
    expect(await find()).toBe(200);
    app.selectRepositories('acme', []);
    expect(await find()).toBe(404);
    app.selectRepositories('acme');
    expect(await find()).toBe(200);
    const before = app.installationId('acme');
    app.uninstall('acme');
    expect(await find()).toBe(404);
    expect(app.install('acme', [REPO])).not.toBe(before);
    expect(await find()).toBe(200);
    const other = twin.registerApp({ slug: 'other', owner: 'bob' });
    const foreign = other.install('acme');
    expect((await ask(twin, `GET /app/installations/${foreign}`, { token: jwt() })).status).toBe(404);
  });

  it('writes as its bot, which is not a collaborator', async () => {
    const { twin, app } = await startWithApp();
    const token = app.token('acme');
    const issue = await ask(twin, `POST ${AT}/issues`, { token, body: { title: 'T' } });
    expect(issue.status).toBe(201);
    const path = `${AT}/issues/${at(issue.body, 'number')}/comments`;
    const { body } = await ask(twin, `POST ${path}`, { token, body: { body: 'hello' } });
    for (const row of [issue.body, body])
      expect([
        at(row, 'user', 'login'),
        at(row, 'user', 'type'),
        at(row, 'user', 'id'),
        at(row, 'author_association'),
        at(row, 'performed_via_github_app', 'id'),
        at(row, 'performed_via_github_app', 'owner', 'login'),
      ]).toEqual(['mergexo[bot]', 'Bot', app.botId, 'NONE', app.id, 'alice']);
    const own = await ask(twin, `POST ${path}`, { body: { body: 'hi' } });
    expect(at(own.body, 'performed_via_github_app')).toBeNull();
  });

  it('survives a restart of the twin with its keys, installations and tokens', async () => {
    const { makeTempDir } = await import('../../testing/test-twin.js');
    const dir = makeTempDir();
    const { twin, app } = await startWithApp({ dir });
    const [token, keys] = [app.token('acme'), app.keys()];
    await twin.stop();
    const again = await startWithApp({ dir });
    expect(again.app.keys()).toEqual(keys);
    expect((await ask(again.twin, `GET ${AT}`, { token })).status).toBe(200);
    expect(JSON.stringify(again.twin.history.list())).not.toContain('PRIVATE KEY');
    expect(JSON.stringify(again.twin.history.list())).not.toContain(token);
  });
});
