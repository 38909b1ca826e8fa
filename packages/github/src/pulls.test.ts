import { execFileSync } from 'node:child_process';
import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import type { GitHub } from './create-github.js';
import { aGitHubClient, aSeed, NO_RATE_LIMITS, OTHER_REPO, REPO } from './testing/a-github-client.js';

const UNKNOWN = 'f'.repeat(40);

describe('the client for pull requests and their commits', () => {
  let twin: Twin;
  let connect: (throttled: boolean) => GitHub;
  let github: GitHub;
  beforeEach(async () => {
    const files = { 'README.md': 'hi\n', 'old.txt': 'a\nb\nc\nd\n' };
    twin = await startTwin({ seed: aSeed({ files }), clock: createManualClock(), limits: NO_RATE_LIMITS });
    connect = (throttled) => aGitHubClient(twin, { throttled });
    github = connect(false);
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  const alice = () => twin.as('alice');
  const openPull = async (branch: string, draft = false) => {
    const sha = await alice().pushFiles(REPO, branch, { [`${branch}.txt`]: 'x\n' });
    return { sha, number: await alice().openPull(REPO, { title: branch, head: branch, draft }) };
  };
  const createOrphan = (tree: string) => {
    const who = ['-c', 'user.name=alice', '-c', 'user.email=alice@example.com'];
    const args = ['-C', twin.repoDir(REPO), ...who, 'commit-tree', `${tree}^{tree}`, '-m', 'Begin anew'];
    return execFileSync('git', args, { encoding: 'utf8' }).trim();
  };
  const readFeed = async (etag: string | null) => {
    const feed = await github.fetchPullsFeed(REPO, { etag });
    if (feed.kind !== 'changed') throw new Error('the response is unchanged');
    return feed;
  };

  it('returns every open pull request with its head, newest change first, and uses no rate limit quota while unchanged', async () => {
    const { number: closed } = await openPull('closed');
    await alice().close(REPO, closed);
    const { sha: shared } = await openPull('topic-1');
    for (let i = 2; i <= 103; i += 1) {
      await alice().request('POST', `/repos/${REPO}/git/refs`, { ref: `refs/heads/topic-${i}`, sha: shared });
      await alice().openPull(REPO, { title: `topic-${i}`, head: `topic-${i}` });
    }
    const first = await readFeed(null);
    expect(new Set(first.rows.map(({ number }) => number)).size).toBe(103);
    const before = twin.control.ledger('robot').counted;
    expect(await github.fetchPullsFeed(REPO, { etag: first.etag })).toEqual({ kind: 'unchanged' });
    expect(twin.control.ledger('robot').counted).toBe(before);
    twin.control.advance(5_000);
    const sha = await alice().pushFiles(REPO, 'topic-1', { 'more.txt': 'y\n' });
    expect((await readFeed(first.etag)).rows[0]).toMatchObject({
      headRef: 'topic-1',
      headSha: sha,
      status: 'open',
    });
  });

  it('returns more fields for a single pull request than for lists', async () => {
    const { number } = await openPull('topic', true);
    await alice().comment(REPO, number, 'hello');
    expect((await readFeed(null)).rows).toMatchObject([{ number, draft: true }]);
    expect(await github.fetchPull(REPO, number)).toMatchObject({
      draft: true,
      mergeable: true,
      mergeableState: 'draft',
      commentCount: 1,
      reviewCommentCount: 0,
    });
    twin.control.fault({ kind: 'mergeable-null', route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}' });
    expect(await github.fetchPull(REPO, number)).toMatchObject({
      mergeable: null,
      mergeableState: 'unknown',
    });
  });

  it('reports that a pull request conflicts', async () => {
    await alice().pushFiles(REPO, 'topic', { 'README.md': 'mine\n' });
    const number = await alice().openPull(REPO, { title: 'T', head: 'topic' });
    await alice().pushFiles(REPO, 'main', { 'README.md': 'yours\n' });
    expect(await github.fetchPull(REPO, number)).toMatchObject({ mergeable: false, mergeableState: 'dirty' });
  });

  it('lists all changed files with their patches', async () => {
    const many = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`src/${1000 + i}.txt`, `${i}\n`]));
    await alice().pushFiles(REPO, 'topic', {
      ...many,
      'old.txt': null,
      'new.txt': 'a\nb\nc\nd\n',
      'picture.png': Buffer.from([0, 1, 2]),
    });
    const number = await alice().openPull(REPO, { title: 'T', head: 'topic' });
    const { files, complete } = await github.fetchPullFiles(REPO, number);
    expect([complete, new Set(files.map(({ path }) => path)).size, files.length]).toEqual([true, 132, 132]);
    expect(files.find(({ path }) => path === 'new.txt')).toEqual({
      path: 'new.txt',
      status: 'renamed',
      previousPath: 'old.txt',
      patch: null,
    });
    expect(files.find(({ path }) => path === 'picture.png')).toMatchObject({ status: 'added', patch: null });
    expect(files.at(-1)).toEqual({
      path: 'src/1129.txt',
      status: 'added',
      previousPath: null,
      patch: '@@ -0,0 +1 @@\n+129',
    });
  });

  it.each([
    [2_999, true],
    [3_001, false],
  ])('reports whether the list of %i changed files is complete', async (count, complete) => {
    const many = Object.fromEntries(Array.from({ length: count }, (_, i) => [`src/${i}.txt`, `${i}\n`]));
    await alice().pushFiles(REPO, 'topic', many);
    const number = await alice().openPull(REPO, { title: 'T', head: 'topic' });
    const listed = await github.fetchPullFiles(REPO, number);
    expect([listed.complete, listed.files.length]).toEqual([complete, Math.min(count, 3_000)]);
  });

  it('does not mix the files of two heads', async () => {
    const files = (word: string) =>
      Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`src/${1000 + i}.txt`, `${word}\n`]));
    await alice().pushFiles(REPO, 'topic', files('first'));
    const number = await alice().openPull(REPO, { title: 'T', head: 'topic' });
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
    const held = twin.control.fault({ kind: 'hold', skip: 1, route });
    const reading = github.fetchPullFiles(REPO, number).catch((error: unknown) => error);
    while (held.waiting() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await alice().pushFiles(REPO, 'topic', files('second'));
    held.release();
    expect(await reading).toMatchObject({ name: 'Failure', kind: 'unavailable' });
  });

  it('distinguishes a merged pull request from an open one', async () => {
    const { number } = await openPull('topic');
    expect(await github.fetchPull(REPO, number)).toMatchObject({ status: 'open', mergedAt: null });
    const mergeCommitSha = await alice().merge(REPO, number);
    const mergedAt = expect.any(String);
    const merged = { number, status: 'merged', headRef: 'topic', mergeCommitSha: null, mergedAt };
    const pull = await github.fetchPull(REPO, number);
    expect(pull).toMatchObject(merged);
    expect(await github.fetchMergeCommit(REPO, pull)).toBe(mergeCommitSha);
    expect(await github.fetchPullsOfBranch(REPO, 'topic')).toEqual([expect.objectContaining(merged)]);
  });

  it('changes the body of a pull request and nothing else', async () => {
    const { number } = await openPull('topic');
    const before = await github.fetchPull(REPO, number);
    const after = await github.updatePullBody(REPO, number, 'Fixes #1\n\n## Drift\n');
    expect(after).toEqual({ ...before, body: 'Fixes #1\n\n## Drift\n', updatedAt: after.updatedAt });
    expect(await github.fetchPull(REPO, number)).toEqual(after);
    const refused = github.updatePullBody(REPO, number, 'x'.repeat(70_000));
    await expect(refused).rejects.toMatchObject({ kind: 'conflict' });
    await expect(github.updatePullBody(OTHER_REPO, number, 'x')).rejects.toThrow(/not configured/);
    const route = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';
    const fault = twin.control.fault({ kind: 'error', when: 'after', status: 502, route });
    const unknown = github.updatePullBody(REPO, number, 'third');
    await expect(unknown).rejects.toMatchObject({ kind: 'unknown-outcome' });
    expect([fault.hits(), (await github.fetchPull(REPO, number)).body]).toEqual([1, 'third']);
  });

  it('compares commits', async () => {
    const { sha: first } = await openPull('topic');
    const second = await alice().pushFiles(REPO, 'topic', { 'b.txt': 'b\n' });
    const third = await alice().pushFiles(REPO, 'topic', { 'c.txt': 'c\n' });
    const other = await alice().push(REPO, {
      branch: 'topic',
      files: { 'd.txt': 'd\n' },
      from: second,
      force: true,
    });
    const compare = (base: string, head: string) => github.compareCommits(REPO, base, head);
    expect(await compare(first, third)).toEqual({ status: 'ahead' });
    expect(await compare(third, first)).toEqual({ status: 'behind' });
    expect(await compare(third, other)).toEqual({ status: 'diverged' });
    expect(await compare(third, third)).toEqual({ status: 'identical' });
  });

  it('reports an unrelated history as diverged, not as unknown', async () => {
    const { sha } = await openPull('topic');
    const orphan = createOrphan(sha);
    expect(await github.compareCommits(REPO, sha, orphan)).toEqual({ status: 'diverged' });
  });

  it('returns null for a commit that GitHub does not have, and fails for an invisible repository', async () => {
    const { sha } = await openPull('topic');
    expect(await github.compareCommits(REPO, sha, UNKNOWN)).toBeNull();
    expect(await github.compareCommits(REPO, UNKNOWN, sha)).toBeNull();
    expect([await github.hasCommit(REPO, sha), await github.hasCommit(REPO, UNKNOWN)]).toEqual([true, false]);
    twin.control.setPermission(REPO, 'robot', null);
    await expect(github.compareCommits(REPO, sha, UNKNOWN)).rejects.toMatchObject({ kind: 'not-found' });
  });

  it.each(['main', 'abc123', `${'a'.repeat(40)}/../..`, `${'a'.repeat(40)}\n`, '', 'A'.repeat(40)])(
    'sends no request for %j, which is not a full sha',
    async (sha) => {
      const before = twin.history.list('request').length;
      await expect(github.compareCommits(REPO, sha, UNKNOWN)).rejects.toMatchObject({ kind: 'invalid-data' });
      await expect(github.compareCommits(REPO, UNKNOWN, sha)).rejects.toMatchObject({ kind: 'invalid-data' });
      expect(twin.history.list('request')).toHaveLength(before);
    },
  );

  it.each([true, false])(
    'reports when reads can resume after a rate limit (throttled: %p)',
    async (throttled) => {
      const door = connect(throttled);
      const { number } = await openPull('topic');
      const wait = async () => {
        const failure = await door.fetchReviews(REPO, number, null).catch((error: unknown) => error);
        expect(failure).toMatchObject({
          name: 'Failure',
          kind: 'rate-limited',
          retryAfterMs: expect.any(Number),
        });
        return failure;
      };
      const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
      twin.control.fault({ kind: 'secondary-limit', status: 429, retryAfterSeconds: 30, route });
      expect(await wait()).toMatchObject({ retryAfterMs: 30_000 });
      expect((await door.fetchReviews(REPO, number, null)).kind).toBe('changed');
      twin.control.exhaustRate('robot');
      const failure = await wait();
      const ms = failure instanceof Error && 'retryAfterMs' in failure ? Number(failure.retryAfterMs) : 0;
      expect(ms).toBeGreaterThan(60_000);
      twin.control.advance(ms);
      expect((await door.fetchReviews(REPO, number, null)).kind).toBe('changed');
    },
  );
});
