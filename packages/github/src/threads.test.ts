import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import type { GitHub } from './create-github.js';
import { aGitHubClient, aSeed, NO_RATE_LIMITS, OTHER_REPO, REPO } from './testing/a-github-client.js';

const GRAPHQL = 'POST /graphql';

describe('threads of review comments', () => {
  let twin: Twin;
  let connect: (apiUrl: string, throttled?: boolean) => GitHub;
  let github: GitHub;
  let pull: number;
  beforeEach(async () => {
    twin = await startTwin({
      seed: aSeed({ repos: [REPO, OTHER_REPO] }),
      clock: createManualClock(),
      limits: NO_RATE_LIMITS,
    });
    connect = (apiUrl, throttled = false) => aGitHubClient(twin, { apiUrl, throttled });
    github = connect(twin.apiUrl);
    pull = await openPull(REPO);
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  const alice = () => twin.as('alice');
  const openPull = async (repo: string) => {
    await alice().pushFiles(repo, 'topic', { 'list.txt': 'a\nb\nc\n' });
    return alice().openPull(repo, { title: 'Add a list', head: 'topic' });
  };
  const remark = (repo = REPO) =>
    alice().reviewComment(repo, pull, { path: 'list.txt', line: 1, body: 'why?' });
  const isResolved = (id: number) => twin.world.store.reviewComments.get(id)?.resolvedById !== null;
  const asked = () => twin.history.list('request').filter(({ via }) => via === 'graphql').length;

  it('are resolved once by any of their comments, without resolving other threads', async () => {
    const [first, second] = [await remark(), await remark()];
    const reply = await alice().reply(REPO, second, 'well');
    expect(await github.resolveReviewThread(REPO, pull, reply)).toBe('resolved');
    expect([isResolved(first), isResolved(second)]).toEqual([false, true]);
    const before = asked();
    expect(await github.resolveReviewThread(REPO, pull, second)).toBe('resolved');
    expect(asked() - before).toBe(1);
  });

  it('are found after the first hundred', async () => {
    for (let i = 1; i <= 100; i += 1) await remark();
    const last = await remark();
    expect(await github.resolveReviewThread(REPO, pull, last)).toBe('resolved');
    expect(isResolved(last)).toBe(true);
  });

  it('are absent if the comment or the pull request does not exist', async () => {
    const gone = await remark();
    await alice().deleteReviewComment(REPO, gone);
    expect(await github.resolveReviewThread(REPO, pull, gone)).toBe('absent');
    expect(await github.resolveReviewThread(REPO, pull, 999_999)).toBe('absent');
    expect(await github.resolveReviewThread(REPO, 999, 1)).toBe('absent');
  });

  it('are resolved on an Enterprise Server, where GraphQL has another URL', async () => {
    const id = await remark();
    expect(await connect(`${twin.url}/api/v3/`).resolveReviewThread(REPO, pull, id)).toBe('resolved');
    expect(isResolved(id)).toBe(true);
  });

  it.each([403, 404, 405])('are unavailable if GraphQL returns %i', async (status) => {
    const id = await remark();
    for (const skip of [0, 1]) {
      twin.control.fault({ kind: 'error', status, skip, route: GRAPHQL });
      expect(await github.resolveReviewThread(REPO, pull, id)).toBe('unavailable');
    }
    expect(isResolved(id)).toBe(false);
  });

  it('are unavailable to a token without write or read access', async () => {
    const id = await remark();
    twin.control.setPermission(REPO, 'robot', 'read');
    expect(await github.resolveReviewThread(REPO, pull, id)).toBe('unavailable');
    twin.control.setPermission(REPO, 'robot', null);
    expect(await github.resolveReviewThread(REPO, pull, id)).toBe('unavailable');
    expect(isResolved(id)).toBe(false);
  });

  it('stay open in a repository that is not configured', async () => {
    pull = await openPull(OTHER_REPO);
    const id = await remark(OTHER_REPO);
    await expect(github.resolveReviewThread(OTHER_REPO, pull, id)).rejects.toThrow(/not configured/);
    expect(isResolved(id)).toBe(false);
  });

  it.each([
    ['before the thread is known', 0, 'unavailable', false],
    ['while it is being resolved', 1, 'unknown-outcome', true],
  ])('fail with a temporary error when the connection drops %s', async (_name, skip, kind, resolved) => {
    for (const throttled of [false, true]) {
      const id = await remark();
      twin.control.fault({ kind: 'drop', when: 'after', skip, route: GRAPHQL });
      const trouble = connect(twin.apiUrl, throttled).resolveReviewThread(REPO, pull, id);
      await expect(trouble).rejects.toMatchObject({ name: 'Failure', kind });
      expect(isResolved(id)).toBe(resolved);
    }
  });

  it.each([true, false])('report when to resume after a rate limit (throttled: %p)', async (throttled) => {
    const id = await remark();
    const door = connect(twin.apiUrl, throttled);
    twin.control.fault({ kind: 'secondary-limit', retryAfterSeconds: 30, route: GRAPHQL });
    await expect(door.resolveReviewThread(REPO, pull, id)).rejects.toMatchObject({
      kind: 'rate-limited',
      retryAfterMs: 30_000,
    });
    twin.control.fault({ kind: 'expired-token', route: GRAPHQL });
    await expect(door.resolveReviewThread(REPO, pull, id)).rejects.toMatchObject({ kind: 'unauthorized' });
  });
});
