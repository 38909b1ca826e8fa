import { request } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { ask, read } from '../testing/ask.js';
import { commitFile, git, mustGit, withToken } from '../testing/git.js';
import { each } from '../testing/json-fields.js';
import { AT, makeTempDir, REPO, startTestTwin } from '../testing/test-twin.js';

describe('simultaneous requests', () => {
  it('create only one pull request, even from twenty clients', async () => {
    const twin = await startTestTwin();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const body = { title: 'T', head: 'topic', base: 'main' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask(twin, `POST ${AT}/pulls`, { as: 'bob', body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 422),
    ]);
  });

  it('all take effect if they comment, label and push on one pull request', async () => {
    const twin = await startTestTwin();
    const bob = twin.as('bob');
    await bob.pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await bob.openPull(REPO, { title: 'T', head: 'topic' });
    const labels = Array.from({ length: 10 }, (_, index) => `label-${index}`);
    const [head] = await Promise.all([
      bob.pushFiles(REPO, 'topic', { 'b.txt': 'b\n' }),
      ...labels.map((label) => bob.label(REPO, number, label)),
      ...labels.map((label) => bob.comment(REPO, number, label)),
    ]);
    expect(each(await read(twin, `GET ${AT}/issues/${number}`, 'labels'), 'name').sort()).toEqual(labels);
    expect(await read(twin, `GET ${AT}/pulls/${number}`, 'head', 'sha')).toBe(head);
    expect(await read(twin, `GET ${AT}/issues/${number}`, 'comments')).toBe(10);
  });

  it('move a branch once if they push to the same branch, and each ref change has exactly one author', async () => {
    const twin = await startTestTwin();
    const dir = makeTempDir();
    const pushers = ['alice', 'bob'].map(async (login) => {
      await mustGit(
        dir,
        'clone',
        '-q',
        withToken(twin.gitUrl('acme', 'app'), twin.tokens[login] ?? ''),
        login,
      );
      await commitFile(path.join(dir, login), `${login}.txt`, 'x\n');
      return () => git(path.join(dir, login), 'push', 'origin', 'HEAD:topic', `HEAD:refs/heads/of-${login}`);
    });
    const pushes = await Promise.all(pushers);
    await Promise.all(pushes.map((push) => push()));
    const moves = twin.history.list('ref').slice(1);
    expect(
      moves
        .map(({ ref, by }) => `${ref} by ${by}`)
        .filter((line) => line.includes('of-'))
        .sort(),
    ).toEqual(['refs/heads/of-alice by alice', 'refs/heads/of-bob by bob']);
    expect(moves.filter(({ ref }) => ref === 'refs/heads/topic')).toHaveLength(1);
  });

  it('both succeed if one merges and one pushes to the base', async () => {
    const twin = await startTestTwin();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    await Promise.all([
      twin.as('alice').merge(REPO, number),
      twin.as('bob').pushFiles(REPO, 'main', { 'm.txt': 'm\n' }),
    ]);
    const names = each(await read(twin, `GET ${AT}/contents/`), 'name');
    expect(names).toEqual(expect.arrayContaining(['a.txt', 'm.txt']));
  });
});

describe('a misbehaving client', () => {
  it('affects no other client if it disconnects during its request or sends an invalid URL', async () => {
    const twin = await startTestTwin();
    const url = new URL(`${twin.url}${AT}/issues`);
    const half = request(url, {
      method: 'POST',
      headers: { 'content-length': 100, authorization: `token ${twin.tokens['alice']}` },
    });
    half.on('error', () => {});
    half.write('{"title": "Ha');
    setTimeout(() => half.destroy(), 50);
    await new Promise((resolve) => half.once('close', resolve));
    const socket = connect(Number(url.port), '127.0.0.1');
    socket.write('GET // HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    );
    socket.destroy();
    expect(answer).toContain('400 Bad Request');
    expect(await read(twin, `GET ${AT}/issues`)).toEqual([]);
  });

  it('gets errors for invalid JSON and large bodies', async () => {
    const twin = await startTestTwin();
    const post = async (body: string) => {
      const headers = { authorization: `token ${twin.tokens['alice']}` };
      return (await fetch(`${twin.url}${AT}/issues`, { method: 'POST', headers, body })).status;
    };
    expect([await post('{"title": '), await post('[1]'), await post('null')]).toEqual([400, 422, 422]);
  });
});

describe('several tokens of one user', () => {
  it('share one rate limit, but have different ETags and different ids in the history', async () => {
    const twin = await startTestTwin();
    const second = twin.control.addToken('alice');
    const first = await ask(twin, `GET ${AT}`);
    const again = await ask(twin, `GET ${AT}`, {
      token: second.secret,
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect([again.status, again.headers.get('x-ratelimit-used')]).toEqual([200, '2']);
    expect(new Set(twin.history.list('request').map((entry) => entry.token)).size).toBe(2);
    twin.control.expireToken('alice');
    const fresh = twin.control.addToken('alice');
    expect((await ask(twin, `GET ${AT}`, { token: fresh.secret })).status).toBe(200);
    expect((await ask(twin, `GET ${AT}`, { token: second.secret })).status).toBe(401);
  });
});
