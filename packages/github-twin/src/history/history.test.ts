import fs from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { ask } from '../testing/ask.js';
import { mustGit } from '../testing/git.js';
import { AT, makeTempDir, REPO, startTestTwin, tolerate } from '../testing/test-twin.js';
import { waitFor } from '../testing/wait-for.js';
import { actingAs, openHistory } from './history.js';

describe('the history', () => {
  it('says who wrote what, and what was served to whom', async () => {
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

  it('books what a reader notices on nobody', async () => {
    const twin = await startTestTwin();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    const before = twin.history.list().length;
    await mustGit(twin.repoDir(REPO), 'update-ref', 'refs/heads/main', 'refs/heads/topic');
    await ask(twin, `GET ${AT}/pulls/${number}`, { as: 'carol' });
    const noticed = twin.history.list().slice(before);
    expect(noticed.flatMap((entry) => ('by' in entry ? [entry.by] : [])).filter(Boolean)).toEqual([]);
    expect(noticed.some((entry) => entry.kind === 'write' && entry.table === 'issues')).toBe(true);
  });

  it('has a line for a request that broke the twin, and for one that was never whole', async () => {
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
    half.write('{');
    setTimeout(() => half.destroy(), 50);
    await waitFor(() => twin.history.list('request').length === 2);
    expect(
      twin.history.list('request').map(({ route, status, outcome }) => [route, status, outcome]),
    ).toEqual([
      ['GET /repos/{owner}/{repo}', 500, 'answered'],
      ['POST /repos/{owner}/{repo}/issues', 0, 'client-gone'],
    ]);
  });

  it('keeps no token and grows only at its end', async () => {
    const twin = await startTestTwin();
    const before = twin.history.list().length;
    await ask(twin, `GET ${AT}`);
    const entries = twin.history.list();
    expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 1));
    expect(entries.length).toBe(before + 1);
    expect(fs.readFileSync(twin.history.file, 'utf8')).not.toContain(twin.tokens['alice']);
  });

  it('drops a line that a crash left half written and goes on counting', () => {
    const file = path.join(makeTempDir(), 'history.jsonl');
    const first = openHistory(file, () => 0);
    first.record({ kind: 'violation', route: 'a', errors: [] });
    first.close();
    fs.appendFileSync(file, '{"seq":2,"ki');
    const second = openHistory(file, () => 0);
    actingAs('alice', () => second.record({ kind: 'violation', route: 'b', errors: [] }));
    expect(second.list().map((entry) => entry.seq)).toEqual([1, 2]);
    second.close();
  });
});
