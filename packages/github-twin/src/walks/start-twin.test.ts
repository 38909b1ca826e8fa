import fs from 'node:fs';
import { restRoutes } from '../routes/index.js';
import { createValidators } from '../spec/validators.js';
import { startTwin } from '../start/start-twin.js';
import { ask } from '../testing/ask.js';
import { AT, SEED } from '../testing/test-twin.js';
import { waitFor } from '../testing/wait-for.js';

/** Described, but not served yet. */
const AHEAD = [
  'DELETE /app/installations/{installation_id}',
  'PUT /app/installations/{installation_id}/suspended',
  'DELETE /app/installations/{installation_id}/suspended',
  'GET /orgs/{org}/installation',
  'GET /users/{username}/installation',
  'POST /app-manifests/{code}/conversions',
  'GET /rate_limit',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/sub_issues',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/sub_issues',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/parent',
  'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
  'PATCH /repos/{owner}/{repo}/check-suites/preferences',
];

describe('a twin', () => {
  it('has exactly the operations of GitHub’s vendored API description, plus two operations that gh needs', () => {
    const { spec } = createValidators();
    const described = Object.entries(spec.paths).flatMap(([template, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${template}`),
    );
    const routes = restRoutes.map((route) => `${route.method} ${route.template}`);
    expect(described.filter((name) => !routes.includes(name))).toEqual(AHEAD);
    expect(routes.filter((name) => !described.includes(name))).toEqual([
      'GET /',
      'GET /repos/{owner}/{repo}/actions/workflows',
    ]);
  });

  it('leaves no files when it stops, even during a hanging request', async () => {
    const twin = await startTwin({ seed: SEED });
    const hang = twin.control.fault({ kind: 'hang', when: 'after' });
    const hanging = ask(twin, 'GET /user').catch((error: unknown) => error);
    await waitFor(() => hang.waiting() === 1);
    await twin.stop();
    expect(await hanging).toBeDefined();
    expect(fs.existsSync(twin.world.root)).toBe(false);
  });

  it('does not apply requests on hold when it stops', async () => {
    const twin = await startTwin({ seed: SEED });
    const hold = twin.control.fault({ kind: 'hold', times: null });
    const posted = ask(twin, `POST ${AT}/issues`, { body: { title: 'Never' } }).catch(() => 'gone');
    await waitFor(() => hold.waiting() === 1);
    await twin.stop();
    expect([await posted, twin.world.store.issues.all()]).toEqual(['gone', []]);
  });

  it('refuses a seed that names unknown users', async () => {
    await expect(startTwin({ seed: { users: [], repos: [{ name: 'nobody/app' }] } })).rejects.toThrow(
      'no user nobody',
    );
  });
});
