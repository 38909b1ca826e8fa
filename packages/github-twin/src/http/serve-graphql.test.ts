import type { Twin } from '../start-twin.js';
import { ask } from '../testing/ask.js';
import { at, each } from '../testing/pluck.js';
import { REPO, startTestTwin } from '../testing/test-twin.js';

async function startWithThread() {
  const twin = await startTestTwin();
  await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\nb\n' });
  const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
  const first = await twin.as('alice').reviewComment(REPO, number, { path: 'a.txt', line: 1, body: 'why' });
  const reply = await twin.as('bob').reply(REPO, number, first, 'so');
  return { twin, number, first, reply };
}

const query = (twin: Twin, text: string, options: { as?: string; path?: string; variables?: object } = {}) =>
  ask(twin, `POST ${options.path ?? '/graphql'}`, {
    as: options.as ?? 'alice',
    body: { query: text, variables: options.variables ?? {} },
  });

const threadsOf = (
  number: number,
) => `{ repository(owner: "acme", name: "app") { pullRequest(number: ${number}) {
  reviewThreads(first: 50) { totalCount nodes { id isResolved isOutdated line resolvedBy { login } comments(first: 50) { nodes { databaseId author { login } } } } } } } }`;
const NODES = ['data', 'repository', 'pullRequest', 'reviewThreads', 'nodes'];

describe('GraphQL', () => {
  it('knows the viewer, under both addresses, and counts its own budget', async () => {
    const { twin } = await startWithThread();
    for (const path of ['/graphql', '/api/graphql']) {
      const answer = await query(twin, '{ viewer { login } rateLimit { cost } }', { path });
      expect([answer.body, answer.headers.get('x-ratelimit-resource')]).toEqual([
        { data: { viewer: { login: 'alice' }, rateLimit: { cost: 1 } } },
        'graphql',
      ]);
    }
    expect((await query(twin, '{ viewer { login } }', { as: 'nobody' })).status).toBe(401);
  });

  it('shows the threads of a pull request and resolves one, and unresolves it', async () => {
    const { twin, number, first, reply } = await startWithThread();
    const shown = at((await query(twin, threadsOf(number))).body, ...NODES);
    expect(each(at(shown, 0, 'comments', 'nodes'), 'databaseId')).toEqual([first, reply]);
    const set = (verb: string, as = 'alice') =>
      query(
        twin,
        `mutation($id: ID!) { ${verb}(input: { threadId: $id }) { thread { isResolved resolvedBy { login } } } }`,
        { as, variables: { id: at(shown, 0, 'id') } },
      );
    expect(at((await set('resolveReviewThread')).body, 'data')).toEqual({
      resolveReviewThread: { thread: { isResolved: true, resolvedBy: { login: 'alice' } } },
    });
    expect(each(at((await query(twin, threadsOf(number))).body, ...NODES), 'isResolved')).toEqual([true]);
    expect(
      at((await set('unresolveReviewThread')).body, 'data', 'unresolveReviewThread', 'thread', 'isResolved'),
    ).toBe(false);
    expect(at((await set('resolveReviewThread', 'carol')).body, 'errors', 0, 'type')).toBe('FORBIDDEN');
  });

  it('shows by id only what the viewer and the token may see, and resolves nothing else', async () => {
    const { twin, number } = await startWithThread();
    const pending = { comments: [{ path: 'a.txt', line: 2, body: 'secret' }] };
    await ask(twin, `POST /repos/${REPO}/pulls/${number}/reviews`, { body: pending });
    const ids = each(at((await query(twin, threadsOf(number))).body, ...NODES), 'id');
    expect(ids).toHaveLength(2);
    const token = twin.control.addToken('alice', ['public_repo']).secret;
    const node = async (id: unknown, options: { as?: string; token?: string }) => {
      const body = { query: '{ node(id: $id) { id } }'.replace('$id', JSON.stringify(id)) };
      return at((await ask(twin, 'POST /graphql', { ...options, body })).body, 'data', 'node', 'id');
    };
    expect([
      await node(ids[1], { as: 'alice' }),
      await node(ids[1], { as: 'bob' }),
      await node(ids[0], { as: 'bob' }),
      await node(ids[0], { token }),
    ]).toEqual([ids[1], undefined, ids[0], undefined]);
  });

  it('keeps a thread whose first comment was deleted', async () => {
    const { twin, number, first, reply } = await startWithThread();
    await twin.as('alice').deleteReviewComment(REPO, first);
    const shown = at((await query(twin, threadsOf(number))).body, ...NODES);
    expect(each(at(shown, 0, 'comments', 'nodes'), 'databaseId')).toEqual([reply]);
    await twin.as('bob').deleteReviewComment(REPO, reply);
    expect(at((await query(twin, threadsOf(number))).body, ...NODES)).toEqual([]);
  });

  it('refuses fields that it does not have, lists without a size, and what the viewer may not see', async () => {
    const { twin, number } = await startWithThread();
    const error = async (text: string, as = 'alice') =>
      at((await query(twin, text, { as })).body, 'errors', 0, 'message');
    expect(await error('{ viewer { shoeSize } }')).toContain('Cannot query field "shoeSize"');
    expect(await error(threadsOf(number).replace('(first: 50) { totalCount', ' { totalCount'))).toContain(
      '`first`',
    );
    twin.control.setPermission(REPO, 'carol', null);
    const hidden = await query(twin, threadsOf(number), { as: 'carol' });
    expect([hidden.status, at(hidden.body, 'errors', 0, 'type')]).toEqual([200, 'NOT_FOUND']);
  });
});
