import { at } from '../testing/json-fields.js';
import { SEED, startTestTwin, type Twin } from '../testing/test-twin.js';

async function call(twin: Twin, method: string, path: string, body?: unknown) {
  const response = await fetch(`${twin.url}/_twin/apps${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  return { status: response.status, body: answer };
}

it('lets other programs register, install, suspend and remove an App', async () => {
  const twin = await startTestTwin({ seed: SEED, controlEndpoint: true });
  const post = (path: string, body?: unknown) => call(twin, 'POST', path, body);
  const made = await post('', { slug: 'helper', owner: 'alice', permissions: { issues: 'write' } });
  expect(at(made.body, 'keys', 0, 'pem')).toContain('BEGIN RSA PRIVATE KEY');
  const app = twin.app('helper');
  expect([at(made.body, 'id'), at(made.body, 'login')]).toEqual([app.id, 'helper[bot]']);
  const account = 'acme';
  expect(at((await post('/helper/install', { account })).body, 'id')).toBe(app.installationId('acme'));
  expect((await post('/helper/suspend', { account })).status).toBe(200);
  expect(() => app.token('acme')).toThrow('suspended');
  await post('/helper/unsuspend', { account });
  await post('/helper/select', { account, repositories: ['acme/app'] });
  await post('/helper/permissions', { contents: 'read' });
  await post('/helper/accept', { account });
  expect(app.token('acme')).toMatch(/^ghs_/);
  const { body: added } = await post('/helper/add-key');
  await post('/helper/remove-key', { id: at(made.body, 'keys', 0, 'id') });
  const shown = await call(twin, 'GET', '/helper');
  expect(at(shown.body, 'keys', 0, 'pem')).toBe(at(added, 'pem'));
  await post('/helper/uninstall', { account });
  expect(() => app.installationId('acme')).toThrow('is not installed');
  expect((await post('/helper/dance', {})).status).toBe(404);
  expect((await post('', { slug: 'helper', owner: 'alice' })).status).toBe(422);
});
