import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { startWithApp } from '../testing/an-app.js';
import { ask } from '../testing/ask.js';
import { at, each } from '../testing/json-fields.js';
import { cleanUp, REPO } from '../testing/test-twin.js';
import { waitFor } from '../testing/wait-for.js';

const SECRET = 'the-secret-of-the-app';

async function startWithHook() {
  const received: { headers: Record<string, unknown>; payload: unknown; signed: boolean }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
      const { headers } = request;
      received.push({
        headers,
        payload: JSON.parse(body.toString()),
        signed: headers['x-hub-signature-256'] === signature,
      });
      response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const started = await startWithApp();
  const url = `http://127.0.0.1:${port}/hook`;
  const set = await ask(started.twin, 'PATCH /app/hook/config', {
    token: started.jwt(),
    body: { url, secret: SECRET },
  });
  expect(set.body).toEqual({ content_type: 'json', insecure_ssl: '0', url, secret: '********' });
  const events = () =>
    received.map(({ headers, payload }) => `${headers['x-github-event']} ${at(payload, 'action')}`);
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
