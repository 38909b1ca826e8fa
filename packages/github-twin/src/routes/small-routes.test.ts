import { type AskOptions, ask, read } from '../testing/ask.js';
import { at, each } from '../testing/json-fields.js';
import { AT, REPO, startTestTwin, startWithPull, type Twin } from '../testing/test-twin.js';

const ON_LINE = { path: 'a.txt', line: 1, commit_id: 'a'.repeat(40), body: 'c' };

/** Returns the status of a response, which the twin has validated against GitHub's API description. */
const status = async (twin: Twin, request: string, options: AskOptions = {}) =>
  (await ask(twin, request, options)).status;

describe('labels', () => {
  it('are found and removed regardless of case', async () => {
    const { twin, number } = await startWithPull();
    const labels = `${AT}/issues/${number}/labels`;
    await ask(twin, `POST ${labels}`, { body: { labels: ['bug', 'Größe: L'] } });
    expect(await read(twin, `GET ${AT}/labels/${encodeURIComponent('größe: l')}`, 'name')).toBe('Größe: L');
    expect(await status(twin, `DELETE ${labels}/missing`)).toBe(404);
    const left = await ask(twin, `DELETE ${labels}/${encodeURIComponent('größe: l')}`);
    expect(each(left.body, 'name')).toEqual(['bug']);
  });
});

describe('users', () => {
  it('are found by login regardless of case, including organizations and bots', async () => {
    const twin = await startTestTwin();
    const typeOf = (login: string) => read(twin, `GET /users/${encodeURIComponent(login)}`, 'type');
    expect([await typeOf('Alice'), await typeOf('acme'), await typeOf('robot[bot]')]).toEqual([
      'User',
      'Organization',
      'Bot',
    ]);
    expect(await read(twin, 'GET /users/ALICE', 'login')).toBe('alice');
    expect(await status(twin, 'GET /users/alcie')).toBe(404);
  });
});

describe('reviews', () => {
  it('can be edited by their author', async () => {
    const { twin, number } = await startWithPull();
    const reviews = `${AT}/pulls/${number}/reviews`;
    const id = await twin.as('alice').submitReview(REPO, number, { body: 'first' });
    expect(await status(twin, `PUT ${reviews}/${id}`, { as: 'bob', body: { body: 'x' } })).toBe(403);
    expect(await status(twin, `PUT ${reviews}/${id}`, { body: { body: 'second' } })).toBe(200);
    expect(await read(twin, `GET ${reviews}`, 0, 'body')).toBe('second');
  });

  it('have comments that only their author and maintainers can delete', async () => {
    const { twin, number } = await startWithPull();
    const id = await twin.as('alice').reviewComment(REPO, number, { path: 'a.txt', line: 1, body: 'c' });
    expect(await status(twin, `DELETE ${AT}/pulls/comments/${id}`, { as: 'carol' })).toBe(403);
    expect(await status(twin, `DELETE ${AT}/pulls/comments/${id}`)).toBe(204);
    expect(await status(twin, `GET ${AT}/pulls/comments/${id}`)).toBe(404);
  });
});

describe('a GitHub feature that the twin lacks', () => {
  it.each([
    ['POST', '/issues', { title: 'T', milestone: 1 }],
    ['PATCH', '/issues/1', { type: 'bug' }],
    ['POST', '/pulls', { head: 'topic', base: 'main', issue: 1 }],
    ['POST', '/issues', { title: 'T', assignees: ['bob'] }],
    ['GET', '/issues?mentioned=bob', undefined],
    ['GET', '/issues?sort=comments', undefined],
    ['PATCH', '/pulls/1', { base: 'other' }],
    ['PUT', '/pulls/1/merge', { merge_method: 'rebase' }],
    ['POST', '/pulls/1/comments', { ...ON_LINE, subject_type: 'file' }],
    ['POST', '/pulls/1/reviews', { event: 'COMMENT', comments: [{ path: 'a.txt', body: 'c', position: 1 }] }],
  ])('is rejected, not silently ignored: %s %s', async (method, path, body) => {
    const { twin } = await startWithPull();
    const answer = await ask(twin, `${method} ${AT}${path}`, body ? { body } : {});
    expect([answer.status, at(answer.body, 'message')]).toEqual([
      501,
      expect.stringContaining('Refused by the twin'),
    ]);
  });

  it.each(['patch', 'raw', 'sha'])('is rejected if requested as a media type: %s', async (media) => {
    const { twin } = await startWithPull();
    const headers = { accept: `application/vnd.github.${media}` };
    expect(await status(twin, `GET ${AT}/commits/topic`, { headers })).toBe(501);
  });
});
