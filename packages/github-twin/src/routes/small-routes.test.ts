import type { Twin } from '../start-twin.js';
import { type AskOptions, ask, read } from '../testing/ask.js';
import { at, each } from '../testing/pluck.js';
import { AT, REPO, startTestTwin } from '../testing/test-twin.js';

async function startWithPull() {
  const twin = await startTestTwin();
  const head = await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
  const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
  return { twin, head, number };
}

/** The status of an answer that strict mode has found to conform. */
const status = async (twin: Twin, request: string, options: AskOptions = {}) =>
  (await ask(twin, request, options)).status;

describe('labels and assignees', () => {
  it('are replaced, taken away one by one, and all at once', async () => {
    const { twin, number } = await startWithPull();
    const labels = `${AT}/issues/${number}/labels`;
    await ask(twin, `PUT ${labels}`, { body: { labels: ['bug', 'Größe: L'] } });
    expect(each(await read(twin, `GET ${labels}`), 'name')).toEqual(['bug', 'Größe: L']);
    expect(await read(twin, `GET ${AT}/labels/${encodeURIComponent('größe: l')}`, 'name')).toBe('Größe: L');
    expect(await status(twin, `DELETE ${labels}/missing`)).toBe(404);
    expect(await status(twin, `DELETE ${labels}`)).toBe(204);
    expect(await read(twin, `GET ${labels}`)).toEqual([]);
    await ask(twin, `POST ${AT}/issues/${number}/assignees`, { body: { assignees: ['bob'] } });
    const left = await ask(twin, `DELETE ${AT}/issues/${number}/assignees`, { body: { assignees: ['bob'] } });
    expect([left.status, at(left.body, 'assignee')]).toEqual([200, null]);
  });
});

describe('users', () => {
  it('are found by their login in any case, organisations and bots too, until the account is deleted', async () => {
    const twin = await startTestTwin();
    const typeOf = (login: string) => read(twin, `GET /users/${encodeURIComponent(login)}`, 'type');
    expect([await typeOf('Alice'), await typeOf('acme'), await typeOf('robot[bot]')]).toEqual([
      'User',
      'Organization',
      'Bot',
    ]);
    expect(await read(twin, 'GET /users/ALICE', 'login')).toBe('alice');
    twin.control.deleteUser('bob');
    expect([await status(twin, 'GET /users/bob'), await status(twin, 'GET /users/alcie')]).toEqual([
      404, 404,
    ]);
  });
});

describe('labels', () => {
  it('cannot take the name of another, but their own in other letters', async () => {
    const twin = await startTestTwin();
    await ask(twin, `POST ${AT}/labels`, { body: { name: 'feature' } });
    const rename = (new_name: string) => ask(twin, `PATCH ${AT}/labels/feature`, { body: { new_name } });
    const refused = await rename('BUG');
    expect([refused.status, at(refused.body, 'errors', 0, 'code')]).toEqual([422, 'already_exists']);
    expect((await rename('Feature')).status).toBe(200);
  });
});

describe('reactions', () => {
  it.each(['issues', 'pulls'])(
    'can be given to a comment under %s, once each, and taken back by their giver only',
    async (kind) => {
      const { twin, number } = await startWithPull();
      const id =
        kind === 'issues'
          ? await twin.as('bob').comment(REPO, number, 'c')
          : await twin.as('bob').reviewComment(REPO, number, { path: 'a.txt', line: 1, body: 'c' });
      const reactions = `${AT}/${kind}/comments/${id}/reactions`;
      const given = await ask(twin, `POST ${reactions}`, { body: { content: '+1' } });
      expect([given.status, await status(twin, `POST ${reactions}`, { body: { content: '+1' } })]).toEqual([
        201, 200,
      ]);
      expect(await status(twin, `POST ${reactions}`, { body: { content: 'shrug' } })).toBe(422);
      expect(each(await read(twin, `GET ${reactions}?content=%2B1`), 'user', 'login')).toEqual(['alice']);
      expect(await read(twin, `GET ${AT}/${kind}/comments/${id}`, 'reactions', '+1')).toBe(1);
      const mine = `DELETE ${reactions}/${at(given.body, 'id')}`;
      expect([await status(twin, mine, { as: 'bob' }), await status(twin, mine)]).toEqual([404, 204]);
    },
  );
});

describe('reviews', () => {
  it('are read, reworded by their author, and deleted while pending', async () => {
    const { twin, number } = await startWithPull();
    const reviews = `${AT}/pulls/${number}/reviews`;
    const id = await twin.as('alice').submitReview(REPO, number, { body: 'first' });
    expect(await status(twin, `PUT ${reviews}/${id}`, { as: 'bob', body: { body: 'x' } })).toBe(403);
    expect(await status(twin, `PUT ${reviews}/${id}`, { body: { body: 'second' } })).toBe(200);
    expect(await read(twin, `GET ${reviews}/${id}`, 'body')).toBe('second');
    expect(await status(twin, `DELETE ${reviews}/${id}`)).toBe(422);
    const body = { comments: [{ path: 'a.txt', line: 1, body: 'c' }] };
    const pending = at((await ask(twin, `POST ${reviews}`, { body })).body, 'id');
    expect(await status(twin, `DELETE ${reviews}/${pending}`)).toBe(200);
    expect(await read(twin, `GET ${AT}/pulls/${number}/comments`)).toEqual([]);
  });

  it('are no longer asked of whom was let off, and their comments can be deleted', async () => {
    const { twin, number } = await startWithPull();
    const reviewers = `${AT}/pulls/${number}/requested_reviewers`;
    await ask(twin, `POST ${reviewers}`, { body: { reviewers: ['carol'] } });
    const left = await ask(twin, `DELETE ${reviewers}`, { body: { reviewers: ['carol'] } });
    expect([left.status, at(left.body, 'requested_reviewers')]).toEqual([200, []]);
    const id = await twin.as('alice').reviewComment(REPO, number, { path: 'a.txt', line: 1, body: 'c' });
    expect(await status(twin, `DELETE ${AT}/pulls/comments/${id}`, { as: 'carol' })).toBe(403);
    expect(await status(twin, `DELETE ${AT}/pulls/comments/${id}`)).toBe(204);
    expect(await status(twin, `GET ${AT}/pulls/comments/${id}`)).toBe(404);
  });
});

describe('checks and jobs', () => {
  it('are read one by one and asked for again', async () => {
    const { twin, head } = await startWithPull();
    const bot = { as: 'robot[bot]' };
    const run = at(
      (await ask(twin, `POST ${AT}/check-runs`, { ...bot, body: { name: 'lint', head_sha: head } })).body,
      'id',
    );
    expect(await read(twin, `GET ${AT}/check-runs/${run}`, 'status')).toBe('queued');
    expect(await status(twin, `POST ${AT}/check-runs/${run}/rerequest`, bot)).toBe(201);
    const suite = await ask(twin, `POST ${AT}/check-suites`, { ...bot, body: { head_sha: head } });
    expect(suite.status).toBe(201);
    expect(await status(twin, `POST ${AT}/check-suites/${at(suite.body, 'id')}/rerequest`, bot)).toBe(201);
  });

  it('are run again whole or one job alone, but not while they run', async () => {
    const { twin } = await startWithPull();
    const jobs = [
      { name: 'a', log: '' },
      { name: 'b', log: '' },
    ];
    const id = twin.actions.start(REPO, { branch: 'topic', by: 'bob', jobs });
    const list = () => read(twin, `GET ${AT}/actions/runs/${id}/jobs`, 'jobs');
    const first = at(await list(), 0, 'id');
    expect(await read(twin, `GET ${AT}/actions/jobs/${first}`, 'name')).toBe('a');
    expect(await status(twin, `GET ${AT}/actions/jobs/${first}/logs`)).toBe(404);
    expect(await status(twin, `POST ${AT}/actions/runs/${id}/rerun`)).toBe(403);
    twin.actions.finish(id, 'failure');
    expect(await status(twin, `POST ${AT}/actions/runs/${id}/rerun`)).toBe(201);
    twin.actions.finish(id, 'failure');
    const again = at(await list(), 0, 'id');
    expect(await status(twin, `POST ${AT}/actions/jobs/${again}/rerun`)).toBe(201);
    expect(each(await list(), 'status')).toEqual(['queued', 'completed']);
  });
});

describe('what GitHub has and the twin lacks', () => {
  it.each([
    ['POST', '/issues', { title: 'T', milestone: 1 }],
    ['PATCH', '/issues/1', { type: 'bug' }],
    ['POST', '/pulls', { head: 'topic', base: 'main', issue: 1 }],
    ['GET', '/issues?mentioned=bob', undefined],
  ])('is refused, not ignored: %s %s', async (method, path, body) => {
    const { twin } = await startWithPull();
    const answer = await ask(twin, `${method} ${AT}${path}`, body ? { body } : {});
    expect([answer.status, at(answer.body, 'message')]).toEqual([
      501,
      expect.stringContaining('Refused by the twin'),
    ]);
  });
});
