import { ask } from '../testing/ask.js';
import { at, each } from '../testing/json-fields.js';
import { REPO, startTestTwin, type Twin } from '../testing/test-twin.js';

async function startWithThread() {
  const twin = await startTestTwin();
  await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\nb\n' });
  const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
  const first = await twin.as('alice').reviewComment(REPO, number, { path: 'a.txt', line: 1, body: 'why' });
  const reply = await twin.as('bob').reply(REPO, first, 'so');
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
  reviewThreads(first: 50) { nodes { id isResolved isOutdated resolvedBy { login } comments(first: 50) { nodes { databaseId } } } } } } }`;
const RESOLVE =
  'mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved resolvedBy { login } } } }';
const NODES = ['data', 'repository', 'pullRequest', 'reviewThreads', 'nodes'];

describe('GraphQL', () => {
  it('returns the viewer at both of its URLs, and has a separate rate limit', async () => {
    const { twin } = await startWithThread();
    for (const path of ['/graphql', '/api/graphql']) {
      const answer = await query(twin, '{ viewer { login } }', { path });
      expect([answer.body, answer.headers.get('x-ratelimit-resource')]).toEqual([
        { data: { viewer: { login: 'alice' } } },
        'graphql',
      ]);
    }
    expect((await query(twin, '{ viewer { login } }', { as: 'nobody' })).status).toBe(401);
  });

  it('returns the threads of a pull request, and resolves a thread', async () => {
    const { twin, number, first, reply } = await startWithThread();
    const shown = at((await query(twin, threadsOf(number))).body, ...NODES);
    expect(each(at(shown, 0, 'comments', 'nodes'), 'databaseId')).toEqual([first, reply]);
    const resolve = (as: string) => query(twin, RESOLVE, { as, variables: { id: at(shown, 0, 'id') } });
    expect(at((await resolve('alice')).body, 'data')).toEqual({
      resolveReviewThread: { thread: { isResolved: true, resolvedBy: { login: 'alice' } } },
    });
    expect(each(at((await query(twin, threadsOf(number))).body, ...NODES), 'isResolved')).toEqual([true]);
    expect(at((await resolve('carol')).body, 'errors', 0, 'type')).toBe('FORBIDDEN');
  });

  it('resolves only threads that the viewer and the token can see', async () => {
    const { twin, number } = await startWithThread();
    const pending = { comments: [{ path: 'a.txt', line: 2, body: 'secret' }] };
    await ask(twin, `POST /repos/${REPO}/pulls/${number}/reviews`, { body: pending });
    const ids = each(at((await query(twin, threadsOf(number))).body, ...NODES), 'id');
    expect(ids).toHaveLength(2);
    const token = twin.control.addToken('alice', ['public_repo']).secret;
    const resolve = async (id: unknown, options: { as?: string; token?: string }) => {
      const body = { query: RESOLVE, variables: { id } };
      return at((await ask(twin, 'POST /graphql', { ...options, body })).body, 'errors', 0, 'type');
    };
    expect([
      await resolve(ids[1], { as: 'bob' }),
      await resolve(ids[0], { token }),
      await resolve(ids[1], { as: 'alice' }),
      await resolve(ids[0], { as: 'bob' }),
    ]).toEqual(['NOT_FOUND', 'NOT_FOUND', undefined, undefined]);
  });

  it('keeps a thread after its first comment was deleted', async () => {
    const { twin, number, first, reply } = await startWithThread();
    await twin.as('alice').deleteReviewComment(REPO, first);
    const shown = at((await query(twin, threadsOf(number))).body, ...NODES);
    expect(each(at(shown, 0, 'comments', 'nodes'), 'databaseId')).toEqual([reply]);
    await twin.as('bob').deleteReviewComment(REPO, reply);
    expect(at((await query(twin, threadsOf(number))).body, ...NODES)).toEqual([]);
  });

  it('rejects unknown fields, lists without a size, and objects that the viewer cannot see', async () => {
    const { twin, number } = await startWithThread();
    const error = async (text: string, as = 'alice') =>
      at((await query(twin, text, { as })).body, 'errors', 0, 'message');
    expect(await error('{ viewer { shoeSize } }')).toContain('Cannot query field "shoeSize"');
    expect(await error(threadsOf(number).replace('(first: 50) { nodes { id', ' { nodes { id'))).toContain(
      '`first`',
    );
    twin.control.setPermission(REPO, 'carol', null);
    const hidden = await query(twin, threadsOf(number), { as: 'carol' });
    expect([hidden.status, at(hidden.body, 'errors', 0, 'type')]).toEqual([200, 'NOT_FOUND']);
  });
});
