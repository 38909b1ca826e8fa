import { createManualClock } from '../basics/clock.js';
import { ask, read } from '../testing/ask.js';
import { at, each } from '../testing/json-fields.js';
import { AT, REPO, startTestTwin } from '../testing/test-twin.js';

describe('a lagging list', () => {
  it('omits recent rows until they are old enough, while single reads and counts include them', async () => {
    const clock = createManualClock();
    const twin = await startTestTwin({ clock });
    const bob = twin.as('bob');
    const number = await bob.openIssue(REPO, { title: 'Lag' });
    const old = await bob.comment(REPO, number, 'old');
    clock.advance(60_000);
    twin.control.fault({ route: 'GET */comments', kind: 'lag', seconds: 30 });
    const young = await bob.comment(REPO, number, 'young');
    const listed = async (path: string) => each((await ask(twin, `GET ${AT}${path}`)).body, 'id');
    expect(await listed(`/issues/${number}/comments`)).toEqual([old]);
    expect(await listed('/issues/comments')).toEqual([old]);
    expect(await read(twin, `GET ${AT}/issues/comments/${young}`, 'body')).toBe('young');
    expect(await read(twin, `GET ${AT}/issues/${number}`, 'comments')).toBe(2);
    clock.advance(30_000);
    expect(await listed(`/issues/${number}/comments`)).toEqual([old, young]);
  });

  it('omits recent issues, pull requests and reviews too', async () => {
    const clock = createManualClock();
    const twin = await startTestTwin({ clock });
    const bob = twin.as('bob');
    await bob.pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await bob.openPull(REPO, { title: 'Lag', head: 'topic' });
    await twin.as('alice').submitReview(REPO, number, { body: 'hm' });
    twin.control.fault({ route: 'GET *', kind: 'lag', seconds: 5 });
    for (const path of ['/pulls', '/issues', `/pulls/${number}/reviews`])
      expect([path, (await ask(twin, `GET ${AT}${path}`)).body]).toEqual([path, []]);
    expect(await read(twin, `GET ${AT}/pulls/${number}`, 'state')).toBe('open');
  });
});

describe('a stale list or read', () => {
  async function startWithPull() {
    const clock = createManualClock();
    const twin = await startTestTwin({ clock });
    const bob = twin.as('bob');
    const head = await bob.pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await bob.openPull(REPO, { title: 'Behind', head: 'topic' });
    clock.advance(60_000);
    return { twin, clock, head, number };
  }

  it('shows the earlier head and state of a pull request in lists and single reads', async () => {
    const { twin, clock, head, number } = await startWithPull();
    const pushed = await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'b\n' });
    twin.control.fault({ kind: 'stale', seconds: 30 });
    const seen = async () => [
      await read(twin, `GET ${AT}/pulls/${number}`, 'head', 'sha'),
      await read(twin, `GET ${AT}/pulls?state=all`, 0, 'head', 'sha'),
      await read(twin, `GET ${AT}/pulls/${number}`, 'state'),
    ];
    expect(await seen()).toEqual([head, head, 'open']);
    expect(await read(twin, `GET ${AT}/git/ref/heads/topic`, 'object', 'sha')).toBe(pushed);
    clock.advance(30_000);
    await twin.as('bob').close(REPO, number);
    expect(await seen()).toEqual([pushed, pushed, 'open']);
    clock.advance(30_000);
    expect(await seen()).toEqual([pushed, pushed, 'closed']);
  });

  it('shows earlier statuses, runs, checks, labels and states too', async () => {
    const { twin, clock, head, number } = await startWithPull();
    const bob = twin.as('bob');
    const run = twin.actions.start(REPO, { branch: 'topic', by: 'bob' });
    clock.advance(60_000);
    twin.control.fault({ kind: 'lag', seconds: 30 });
    await bob.request('POST', `${AT}/statuses/${head}`, { state: 'failure', context: 'ci' });
    twin.actions.finish(run, 'failure');
    await bob.label(REPO, number, 'late');
    await bob.close(REPO, number);
    const seen = async () => [
      await read(twin, `GET ${AT}/commits/${head}/status`, 'state'),
      each(await read(twin, `GET ${AT}/actions/runs`, 'workflow_runs'), 'conclusion'),
      each(await read(twin, `GET ${AT}/commits/${head}/check-runs`, 'check_runs'), 'conclusion'),
      each(await read(twin, `GET ${AT}/issues`), 'number'),
      each(await read(twin, `GET ${AT}/issues?labels=late&state=all`), 'number'),
    ];
    expect(await seen()).toEqual(['pending', [null], [null], [number], []]);
    clock.advance(30_000);
    expect(await seen()).toEqual(['failure', ['failure'], ['failure'], [], [number]]);
  });
});

describe('shifted pages', () => {
  it.each([
    [1, ['a', 'b', 'd']],
    [-1, ['a', 'b', 'b', 'c']],
  ])('by %i return %j to a client that reads all pages', async (by, expected) => {
    const twin = await startTestTwin();
    const number = await twin.as('bob').openIssue(REPO, { title: 'Pages' });
    for (const body of ['a', 'b', 'c', 'd']) await twin.as('bob').comment(REPO, number, body);
    twin.control.fault({ route: 'GET */comments', kind: 'shift', by });
    const page = async (n: number) =>
      each((await ask(twin, `GET ${AT}/issues/${number}/comments?per_page=2&page=${n}`)).body, 'body');
    expect([...(await page(1)), ...(await page(2))]).toEqual(expected);
  });
});

describe('unusual responses', () => {
  it('contain null for mergeable at first, and the value later', async () => {
    const twin = await startTestTwin();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    twin.control.fault({
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
      kind: 'mergeable-null',
      times: 2,
    });
    const mergeable = () => read(twin, `GET ${AT}/pulls/${number}`, 'mergeable');
    expect([await mergeable(), await mergeable(), await mergeable()]).toEqual([null, null, true]);
  });

  it('contain null instead of a deleted user wherever GitHub’s schema allows null', async () => {
    const twin = await startTestTwin();
    const number = await twin.as('bob').openIssue(REPO, { title: 'N' });
    await twin.as('carol').comment(REPO, number, 'c');
    const fault = twin.control.fault({ route: 'GET */comments', kind: 'null-user' });
    const user = () => read(twin, `GET ${AT}/issues/comments`, 0, 'user');
    expect(await user()).toBeNull();
    fault.clear();
    expect(at(await user(), 'login')).toBe('carol');
  });
});
