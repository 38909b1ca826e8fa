import { createManualClock } from '../../basics/clock.js';
import { ask, read } from '../../testing/ask.js';
import { at, each } from '../../testing/json-fields.js';
import { AT, REPO, startTestTwin } from '../../testing/test-twin.js';

describe('issues', () => {
  it('share one number sequence and one list with pull requests', async () => {
    const twin = await startTestTwin();
    const bob = twin.as('bob');
    await bob.pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const numbers = [
      await bob.openIssue(REPO, { title: 'I' }),
      await bob.openPull(REPO, { title: 'P', head: 'topic' }),
      await bob.openIssue(REPO, { title: 'J' }),
    ];
    const listed = await ask(twin, `GET ${AT}/issues?direction=asc`);
    expect([numbers, each(listed.body, 'number')]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(each(listed.body, 'pull_request').map(Boolean)).toEqual([false, true, false]);
  });

  it('are found by label, state and since, in the requested order', async () => {
    const twin = await startTestTwin({ clock: createManualClock() });
    const bob = twin.as('bob');
    await bob.openIssue(REPO, { title: 'a', labels: ['bug', 'agent:design'] });
    twin.control.advance(10_000);
    await twin.as('alice').openIssue(REPO, { title: 'b', labels: ['bug'] });
    const since = new Date(twin.world.clock.now()).toISOString();
    twin.control.advance(10_000);
    await bob.openIssue(REPO, { title: 'c' });
    await bob.close(REPO, 3);
    const titles = async (query: string) =>
      each((await ask(twin, `GET ${AT}/issues?${query}`)).body, 'title');
    expect(await titles('labels=bug')).toEqual(['b', 'a']);
    expect(await titles('labels=bug,agent:design')).toEqual(['a']);
    expect(await titles('state=closed')).toEqual(['c']);
    expect(await titles(`since=${since}&state=all&sort=updated&direction=asc`)).toEqual(['b', 'c']);
    expect((await ask(twin, `GET ${AT}/issues?milestone=1`)).status).toBe(501);
  });

  it('can be labeled and closed only by users with access', async () => {
    const twin = await startTestTwin();
    const number = await twin.as('carol').openIssue(REPO, { title: 'From a reader', labels: ['bug'] });
    expect(await read(twin, `GET ${AT}/issues/${number}`, 'labels')).toEqual([]);
    const status = async (as: string, request: string, body: object) =>
      (await ask(twin, request, { as, body })).status;
    expect(await status('carol', `POST ${AT}/issues/${number}/labels`, { labels: ['bug'] })).toBe(403);
    expect(await status('carol', `PATCH ${AT}/issues/${number}`, { state: 'closed' })).toBe(200);
    await twin.as('bob').reopen(REPO, number);
    expect(await read(twin, `GET ${AT}/issues/${number}`, 'state_reason')).toBe('reopened');
    const other = await twin.as('bob').openIssue(REPO, { title: 'Not yours' });
    expect(await status('carol', `PATCH ${AT}/issues/${other}`, { title: 'Mine' })).toBe(403);
  });

  it('reject long or blank comments, and return 410 after deletion', async () => {
    const twin = await startTestTwin();
    const number = await twin.as('bob').openIssue(REPO, { title: 'T' });
    const comment = async (body: string) => {
      const answer = await ask(twin, `POST ${AT}/issues/${number}/comments`, { as: 'carol', body: { body } });
      return [answer.status, at(answer.body, 'errors', 0, 'message')];
    };
    expect(await comment('x'.repeat(65_537))).toEqual([
      422,
      'body is too long (maximum is 65536 characters)',
    ]);
    expect((await comment('x'.repeat(65_536)))[0]).toBe(201);
    expect((await comment('  '))[0]).toBe(422);
    twin.control.deleteIssue(REPO, number);
    expect([(await comment('hi'))[0], (await ask(twin, `GET ${AT}/issues/${number}`)).status]).toEqual([
      410, 410,
    ]);
    expect(await read(twin, `GET ${AT}/issues/comments`)).toEqual([]);
  });

  it('get a new updated_at, in whole seconds, when comments or labels change', async () => {
    const twin = await startTestTwin();
    const number = await twin.as('bob').openIssue(REPO, { title: 'T' });
    const updated = async () => String(await read(twin, `GET ${AT}/issues/${number}`, 'updated_at'));
    const stamps = [await updated()];
    for (const act of [
      () => twin.as('bob').comment(REPO, number, 'x'),
      () => twin.as('bob').label(REPO, number, 'bug'),
    ]) {
      twin.control.advance(1_000);
      await act();
      stamps.push(await updated());
    }
    expect(new Set(stamps).size).toBe(3);
    expect(stamps.every((stamp) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(stamp))).toBe(true);
  });
});
