import { ask } from '../testing/ask.js';
import { at } from '../testing/json-fields.js';
import { AT, REPO, startTestTwin, tolerate } from '../testing/test-twin.js';

describe('an unusual request', () => {
  it('is rejected if a nested field of its body is unknown', async () => {
    const twin = await startTestTwin();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    const comments = [{ path: 'a.txt', line: 1, body: 'x', linee: 2 }];
    const refused = await ask(twin, `POST ${AT}/pulls/${number}/reviews`, { body: { comments } });
    expect([refused.status, at(refused.body, 'message')]).toEqual([
      422,
      expect.stringContaining('no body field "comments[].linee"'),
    ]);
  });

  it('gets status 500 if the twin’s response lacks a body that GitHub documents', async () => {
    const twin = await startTestTwin();
    twin.control.set({ tamper: () => undefined });
    tolerate(/its own|must be/);
    expect((await ask(twin, `GET ${AT}`)).status).toBe(500);
    expect(twin.control.violations()).toHaveLength(1);
  });

  it('is rejected if an App sends GET /user', async () => {
    const twin = await startTestTwin();
    const refused = await ask(twin, 'GET /user', { as: 'robot[bot]' });
    expect([refused.status, at(refused.body, 'message')]).toEqual([
      403,
      'Resource not accessible by integration',
    ]);
    expect(twin.userId('robot[bot]')).toBeGreaterThan(0);
  });

  it('gets the status and headers of GET, but no body, if its method is HEAD', async () => {
    const twin = await startTestTwin();
    const got = await ask(twin, `GET ${AT}`);
    const head = await ask(twin, `HEAD ${AT}`);
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', got.headers.get('etag')]);
    expect((await ask(twin, `HEAD ${AT}/labels/none`)).status).toBe(404);
  });

  it('gets 413 if it is too large', async () => {
    const twin = await startTestTwin();
    const body = { title: 'T', body: 'x'.repeat(11 * 1024 * 1024) };
    expect((await ask(twin, `POST ${AT}/issues`, { body })).status).toBe(413);
  });

  it('gets 404 or 422 if it contains an impossible name, or git syntax instead of a name', async () => {
    const twin = await startTestTwin();
    const status = async (path: string) => [path, (await ask(twin, `GET ${AT}${path}`)).status];
    const names = ['a%00b', '..%2Fx', './x', ':(glob)**'].map((name) => `/contents/${name}`);
    for (const path of [...names, '/branches/a%00b']) expect(await status(path)).toEqual([path, 404]);
    for (const path of ['/labels?page=a%00b', '/commits/:%2FInitial'])
      expect(await status(path)).toEqual([path, 422]);
  });

  it('is rejected if it would create a ref with an invalid name', async () => {
    const twin = await startTestTwin();
    const sha = at((await ask(twin, `GET ${AT}/branches/main`)).body, 'commit', 'sha');
    for (const name of ['a\0b', 'a..b', 'a b', '.a', 'a.lock', 'a//b']) {
      const body = { ref: `refs/heads/${name}`, sha };
      expect([name, (await ask(twin, `POST ${AT}/git/refs`, { body })).status]).toEqual([name, 422]);
    }
  });
});
