import { createManualClock } from '../basics/clock.js';
import { ask, read } from '../testing/ask.js';
import { at } from '../testing/json-fields.js';
import { AT, startTestTwin, startWithPull } from '../testing/test-twin.js';

const version = (name: string) => ({ headers: { 'x-github-api-version': name } });
const OLD = version('2022-11-28');
const NEW = version('2026-03-10');

describe('API versions', () => {
  it('are those of github.com, or those of the Enterprise Server', async () => {
    expect(await read(await startTestTwin(), 'GET /versions')).toEqual(['2022-11-28', '2026-03-10']);
    const old = await startTestTwin({ enterpriseVersion: '3.20.9' });
    expect(await read(old, 'GET /api/v3/versions')).toEqual(['2022-11-28']);
    expect((await ask(old, `GET ${AT}`, NEW)).status).toBe(400);
    const newer = await startTestTwin({ enterpriseVersion: '3.21.0' });
    expect(await read(newer, 'GET /api/v3/versions')).toEqual(['2022-11-28', '2026-03-10']);
  });

  it('remove fields', async () => {
    const { twin, number } = await startWithPull();
    const path = `GET ${AT}/pulls/${number}`;
    const [before, after] = [(await ask(twin, path, OLD)).body, (await ask(twin, path, NEW)).body];
    expect(at(before, 'merge_commit_sha')).toEqual(expect.any(String));
    for (const field of ['merge_commit_sha', 'assignee']) expect(after).not.toHaveProperty(field);
    expect(at(before, 'base', 'repo')).toHaveProperty('has_downloads');
    expect(at(after, 'base', 'repo')).not.toHaveProperty('has_downloads');
    expect(at(after, 'assignees')).toEqual([]);
  });

  it('announce their retirement in the headers, next to the links to other pages', async () => {
    const twin = await startTestTwin();
    for (const title of ['a', 'b']) await twin.as('bob').openIssue('acme/app', { title });
    const { headers } = await ask(twin, `GET ${AT}/issues?per_page=1`);
    expect(headers.get('x-github-api-version-selected')).toBe('2022-11-28');
    expect(headers.get('deprecation')).toBe('Tue, 10 Mar 2026 00:00:00 GMT');
    expect(headers.get('sunset')).toBe('Fri, 10 Mar 2028 00:00:00 GMT');
    expect(headers.get('link')).toMatch(/rel="deprecation"; type="text\/html", <.*>; rel="next"/);
    const newer = (await ask(twin, `GET ${AT}/issues`, NEW)).headers;
    expect(newer.get('x-github-api-version-selected')).toBe('2026-03-10');
    for (const name of ['deprecation', 'sunset', 'link']) expect(newer.get(name)).toBeNull();
  });

  it('get a 410 after their retirement; a request without a version then gets the next version', async () => {
    const twin = await startTestTwin({ clock: createManualClock('2028-03-10T00:00:00Z') });
    expect((await ask(twin, `GET ${AT}`, OLD)).status).toBe(410);
    expect((await ask(twin, `GET ${AT}`, version('2020-01-01'))).status).toBe(400);
    const { status, headers } = await ask(twin, `GET ${AT}`);
    expect([status, headers.get('x-github-api-version-selected')]).toEqual([200, '2026-03-10']);
  });
});

describe('an Enterprise Server', () => {
  it('names its version, and has no rate limits', async () => {
    const twin = await startTestTwin({ enterpriseVersion: '3.19.2' });
    const { headers, body } = await ask(twin, 'GET /api/v3/meta');
    expect(at(body, 'installed_version')).toBe('3.19.2');
    expect(headers.get('x-github-enterprise-version')).toBe('enterprise-server@3.19.2');
    expect(headers.get('x-ratelimit-remaining')).toBeNull();
    const cloud = await ask(await startTestTwin(), 'GET /meta');
    expect(cloud.body).not.toHaveProperty('installed_version');
    expect(cloud.headers.get('x-ratelimit-remaining')).not.toBeNull();
  });
});
