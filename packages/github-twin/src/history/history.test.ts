import { request } from 'node:http';
import { ask } from '../testing/ask.js';
import { AT, moveRefBehind, REPO, startTestTwin, tolerate } from '../testing/test-twin.js';
import { waitFor } from '../testing/wait-for.js';

describe('the history', () => {
  it('records the author of each row, and the sender of each request', async () => {
    const twin = await startTestTwin();
    const number = await twin.as('bob').openIssue(REPO, { title: 'T' });
    await ask(twin, `POST ${AT}/issues/${number}/comments`, { as: 'alice', body: { body: 'hello' } });
    const [write] = twin.history.list('write').filter((entry) => entry.table === 'comments');
    expect(write).toMatchObject({ by: 'alice', op: 'create', row: { body: 'hello', number } });
    const [served] = twin.history.list('request');
    expect(served).toMatchObject({
      user: 'alice',
      method: 'POST',
      status: 201,
      counted: true,
      outcome: 'answered',
      via: 'rest',
    });
  });

  it('records no author for changes caused by a ref that was moved outside the twin', async () => {
    const twin = await startTestTwin();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    const before = twin.history.list().length;
    await moveRefBehind(twin, 'refs/heads/main', 'refs/heads/topic');
    const noticed = twin.history.list().slice(before);
    expect(noticed.flatMap((entry) => ('by' in entry ? [entry.by] : [])).filter(Boolean)).toEqual([]);
    expect(noticed.some((entry) => entry.kind === 'write' && entry.table === 'issues')).toBe(true);
  });

  it('records requests that crashed a route, and incomplete requests', async () => {
    const twin = await startTestTwin();
    tolerate(/on purpose/);
    twin.control.set({
      tamper: () => {
        throw new Error('on purpose');
      },
    });
    expect((await ask(twin, `GET ${AT}`)).status).toBe(500);
    const half = request(`${twin.url}${AT}/issues`, { method: 'POST', headers: { 'content-length': 9 } });
    half.on('error', () => {});
    // Connecting can take a while on a busy machine. Closing the socket earlier would send nothing.
    half.write('{', () => setTimeout(() => half.destroy(), 50));
    await waitFor(() => twin.history.list('request').length === 2);
    expect(
      twin.history.list('request').map(({ route, status, outcome }) => [route, status, outcome]),
    ).toEqual([
      ['GET /repos/{owner}/{repo}', 500, 'answered'],
      ['POST /repos/{owner}/{repo}/issues', 0, 'client-gone'],
    ]);
  });

  it('contains no token, and is append-only', async () => {
    const twin = await startTestTwin();
    const before = twin.history.list().length;
    await ask(twin, `GET ${AT}`);
    const entries = twin.history.list();
    expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 1));
    expect(entries.length).toBe(before + 1);
    expect(JSON.stringify(entries)).not.toContain(twin.tokens['alice']);
  });
});
