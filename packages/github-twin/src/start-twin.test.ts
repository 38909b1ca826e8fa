import fs from 'node:fs';
import { restRoutes } from './routes/index.js';
import { createValidators } from './spec/validators.js';
import { startTwin } from './start-twin.js';
import { ask } from './testing/ask.js';
import { SEED, startTestTwin } from './testing/test-twin.js';

/** Operations of the slice that nothing of ours asks for. */
const LEFT_OUT = [
  'POST /app/installations/{installation_id}/access_tokens',
  'GET /installation/repositories',
];

describe('a twin', () => {
  it('has every operation of the vendored description but those that are left out on purpose', () => {
    const { slice } = createValidators();
    const described = Object.entries(slice.paths).flatMap(([template, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${template}`),
    );
    const routes = restRoutes.map((route) => `${route.method} ${route.template}`);
    expect(described.filter((name) => !routes.includes(name)).sort()).toEqual([...LEFT_OUT].sort());
    expect(routes.filter((name) => !described.includes(name))).toEqual([
      'GET /',
      'GET /repos/{owner}/{repo}/actions/workflows',
    ]);
  });

  it('leaves nothing behind when it stops, even with a request hanging in it', async () => {
    const twin = await startTwin({ seed: SEED });
    twin.control.fault({ kind: 'hang', when: 'after' });
    const hanging = ask(twin, 'GET /user').catch((error: unknown) => error);
    while (twin.world.faults.list()[0]?.waiting !== 1) await new Promise((resolve) => setImmediate(resolve));
    await twin.stop();
    expect(await hanging).toBeDefined();
    expect(fs.existsSync(twin.world.root)).toBe(false);
  });

  it('lets other pages be mounted beside the API', async () => {
    const twin = await startTestTwin({
      mounts: [
        ({ world }) =>
          ({ request, response, path }) => {
            if (!request.headers.accept?.includes('text/html')) return false;
            response.end(`page ${path} of ${world.store.repos.all().length} repositories`);
            return true;
          },
      ],
    });
    const page = await fetch(`${twin.url}/acme/app/issues`, { headers: { accept: 'text/html' } });
    expect([await page.text(), (await ask(twin, 'GET /user')).status]).toEqual([
      'page /acme/app/issues of 1 repositories',
      200,
    ]);
  });

  it('refuses a seed that names people it does not know', async () => {
    await expect(startTwin({ seed: { users: [], repos: [{ name: 'nobody/app' }] } })).rejects.toThrow(
      'no user nobody',
    );
  });
});
