import { startWithApp } from '../testing/an-app.js';
import { ask } from '../testing/ask.js';
import { startReceiver } from '../testing/hook-receiver.js';
import { at, each } from '../testing/json-fields.js';
import { REPO } from '../testing/test-twin.js';
import { waitFor } from '../testing/wait-for.js';

const SECRET = 'the-secret-of-the-app';

async function startWithHook() {
  const { url, secret, received, events } = await startReceiver(SECRET);
  const started = await startWithApp();
  const set = await ask(started.twin, 'PATCH /app/hook/config', {
    token: started.jwt(),
    body: { url, secret },
  });
  expect(set.body).toEqual({ content_type: 'json', insecure_ssl: '0', url, secret: '********' });
  return { ...started, received, events };
}

describe('the hook of an App', () => {
  it('gets signed deliveries of its events, with the installation, and lists them', async () => {
    const { twin, app, jwt, received, events } = await startWithHook();
    await twin.as('alice').openIssue(REPO, { title: 'T' });
    await twin.as('alice').comment(REPO, 1, 'not one of its events');
    await twin.as('alice').close(REPO, 1);
    await waitFor(() => received.length === 2);
    expect(events()).toEqual(['issues opened', 'issues closed']);
    const [first] = received;
    expect(first).toMatchObject({
      signed: true,
      headers: {
        'x-github-hook-installation-target-type': 'integration',
        'x-github-hook-installation-target-id': String(app.id),
      },
      payload: { installation: { id: app.installationId('acme') }, sender: { login: 'alice' } },
    });
    const listed = await ask(twin, 'GET /app/hook/deliveries', { token: jwt() });
    expect(each(listed.body, 'action')).toEqual(['closed', 'opened']);
    expect(each(listed.body, 'status_code')).toEqual([200, 200]);
    const last = String(at(listed.body, 0, 'guid'));
    await twin.webhooks.redeliver(last);
    expect(received.at(-1)?.headers['x-github-delivery']).toBe(last);
  });

  it('lists one delivery in full, and repeats it on request', async () => {
    const { twin, jwt, received } = await startWithHook();
    const asApp = (request: string, token = jwt()) => ask(twin, request, { token });
    await twin.as('alice').openIssue(REPO, { title: 'T' });
    const list = async () => (await asApp('GET /app/hook/deliveries')).body;
    await waitFor(async () => each(await list(), 'id').length === 1);
    const path = `/app/hook/deliveries/${at(await list(), 0, 'id')}`;
    const guid = at(await list(), 0, 'guid');
    expect((await asApp(`GET ${path}`)).body).toMatchObject({
      guid,
      redelivery: false,
      request: { headers: { 'x-github-delivery': guid }, payload: { issue: { title: 'T' } } },
      response: { payload: '' },
    });
    expect((await asApp(`POST ${path}/attempts`)).status).toBe(202);
    await waitFor(async () => each(await list(), 'id').length === 2);
    expect(each(await list(), 'guid')).toEqual([guid, guid]);
    expect(each(await list(), 'redelivery')).toEqual([true, false]);
    expect(received[1]).toMatchObject({ payload: received[0]?.payload, signed: true });
    expect((await asApp('GET /app/hook/deliveries/99')).status).toBe(404);
    expect((await asApp(`GET ${path}`, twin.tokens['alice'])).status).toBe(401);
  });

  it('gets deliveries about its installations without a subscription, and none while it is suspended', async () => {
    const { twin, app, received, events } = await startWithHook();
    app.suspend('acme');
    await twin.as('alice').openIssue(REPO, { title: 'T' });
    app.unsuspend('acme');
    app.selectRepositories('acme', []);
    app.selectRepositories('acme', [REPO]);
    app.uninstall('acme');
    app.install('acme', [REPO]);
    await waitFor(() => received.length === 6);
    expect(events()).toEqual([
      'installation suspend',
      'installation unsuspend',
      'installation_repositories removed',
      'installation_repositories added',
      'installation deleted',
      'installation created',
    ]);
    expect(at(received[3]?.payload, 'repositories_added', 0, 'full_name')).toBe(REPO);
    expect(at(received[5]?.payload, 'installation', 'id')).toBe(app.installationId('acme'));
  });
});
