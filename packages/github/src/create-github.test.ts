import type { Failure } from '@mergexo/core/basics';
import { createManualClock, GITHUB_LIMITS, startTwin } from '@mergexo/github-twin';
import type { GitHub } from './create-github.js';
import type { RateLimit } from './http/rate-limit.js';
import { aGitHubClient, aSeed, OTHER_REPO, REPO } from './testing/a-github-client.js';

type Twin = Awaited<ReturnType<typeof startTwin>>;

const FRESH = { since: null, etag: null };

describe('createGitHub', () => {
  let twin: Twin;
  let github: GitHub;
  let limits: RateLimit[];
  beforeEach(async () => {
    twin = await startTwin({
      seed: aSeed({ repos: [REPO, OTHER_REPO] }),
      clock: createManualClock(),
      limits: { contentPerMinute: 10_000, contentPerHour: 10_000 },
    });
    const onRateLimit = (limit: RateLimit) => limits.push(limit);
    github = aGitHubClient(twin, { apiVersion: '2026-03-10', now: () => Date.now(), onRateLimit });
    limits = [];
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  const alice = () => twin.as('alice');
  const failureOf = (promise: Promise<unknown>): Promise<Failure> =>
    promise.then(
      () => {
        throw new Error('the request did not fail');
      },
      (error: Failure) => error,
    );

  it('returns our login and the repository', async () => {
    expect(await github.fetchViewer()).toMatchObject({ login: 'robot', type: 'User' });
    expect(await github.fetchRepository(REPO)).toMatchObject({ fullName: REPO, defaultBranch: 'main' });
  });

  it('does not mistake the limit of anonymous requests for its own if GitHub rejects the token', async () => {
    await github.fetchRepository(REPO);
    expect(limits.map(({ limit }) => limit)).toEqual([5_000]);
    twin.control.expireToken('robot');
    expect(await failureOf(github.fetchRepository(REPO))).toMatchObject({ kind: 'unauthorized' });
    expect(limits.map(({ limit }) => limit)).toEqual([5_000]);
  });

  it('reads the whole issues feed, newest first, and uses no rate limit quota while the feed is unchanged', async () => {
    for (let i = 1; i <= 130; i += 1) await alice().openIssue(REPO, { title: `Issue ${i}`, body: 'text' });
    const first = await github.fetchIssuesFeed(REPO, FRESH);
    if (first.kind !== 'changed') throw new Error('the response is unchanged');
    expect(first.rows).toHaveLength(130);
    expect(first.rows.at(-1)).toMatchObject({ author: { login: 'alice' }, open: true, isPullRequest: false });
    const before = twin.control.ledger('robot').counted;
    expect(await github.fetchIssuesFeed(REPO, { since: null, etag: first.etag })).toEqual({
      kind: 'unchanged',
    });
    expect(twin.control.ledger('robot').counted).toBe(before);
    twin.control.advance(5_000);
    await alice().comment(REPO, 7, 'hello');
    const since = first.rows[0]?.updatedAt ?? null;
    const second = await github.fetchIssuesFeed(REPO, { since, etag: null });
    expect(second.kind === 'changed' && second.rows.some(({ number }) => number === 7)).toBe(true);
  });

  it('distinguishes comments on issues from comments on pull requests', async () => {
    const issue = await alice().openIssue(REPO, { title: 'Broken' });
    await alice().pushFiles(REPO, 'topic', { 'a.txt': 'a' });
    const pull = await alice().openPull(REPO, { title: 'Fix', head: 'topic', base: 'main' });
    await alice().comment(REPO, issue, 'on the issue');
    await alice().comment(REPO, pull, 'on the pull request');
    const feed = await github.fetchIssueCommentsFeed(REPO, FRESH);
    expect(
      feed.kind === 'changed' && feed.rows.map(({ thread, onPullRequest }) => [thread, onPullRequest]).sort(),
    ).toEqual([
      [issue, false],
      [pull, true],
    ]);
  });

  it('does not accept a lagging list as complete', async () => {
    const number = await alice().openIssue(REPO, { title: 'Broken' });
    await alice().comment(REPO, number, 'first');
    twin.control.fault({
      kind: 'lag',
      seconds: 60,
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
    });
    expect(await failureOf(github.fetchThread(REPO, number))).toMatchObject({ kind: 'unavailable' });
    twin.control.advance(61_000);
    const { comments } = await github.fetchThread(REPO, number);
    expect(comments.map(({ body }) => body)).toEqual(['first']);
  });

  it('opens a pull request and finds it by its branch, whether open, closed or merged', async () => {
    await alice().pushFiles(REPO, 'agent/bugfix/1-x', { 'a.txt': 'a' });
    expect(await github.fetchPullsOfBranch(REPO, 'agent/bugfix/1-x')).toEqual([]);
    const pull = { title: 'Fix', body: 'Fixes #1', head: 'agent/bugfix/1-x', base: 'main' };
    const { number, status } = await github.postPull(REPO, pull);
    expect(status).toBe('open');
    expect(await failureOf(github.postPull(REPO, pull))).toMatchObject({ kind: 'conflict' });
    await alice().merge(REPO, number);
    expect(await github.fetchPullsOfBranch(REPO, 'agent/bugfix/1-x')).toMatchObject([
      { number, status: 'merged' },
    ]);
    expect(await github.fetchPull(REPO, number)).toMatchObject({ number, status: 'merged' });
  });

  const LABEL = { name: 'agent:small job/é', color: '0e8a16', description: 'MergeXO does this' };
  const listLabels = () => twin.world.store.labels.filter(({ name }) => name === LABEL.name);

  it("creates a label once, and keeps people's changes to it", async () => {
    expect(await github.ensureLabel(REPO, LABEL)).toBe('created');
    expect(await github.ensureLabel(REPO, { ...LABEL, color: 'ffffff' })).toBe('kept');
    expect(listLabels()).toMatchObject([LABEL]);
    await expect(github.ensureLabel(OTHER_REPO, LABEL)).rejects.toThrow(/not configured/);
    expect(await failureOf(github.ensureLabel('acme/gone', LABEL))).toMatchObject({ kind: 'not-found' });
  });

  it.each([
    ['applied', { kind: 'drop', when: 'after' }, 'created'],
    ['not applied', { kind: 'drop', when: 'before' }, 'unknown-outcome'],
  ] as const)(
    'after a lost response, detects that the request for a label was %s',
    async (_name, fault, outcome) => {
      twin.control.fault({ ...fault, route: 'POST /repos/{owner}/{repo}/labels' });
      const ended = await github.ensureLabel(REPO, LABEL).catch((error: Failure) => error.kind);
      expect([ended, listLabels().length]).toEqual([outcome, outcome === 'created' ? 1 : 0]);
    },
  );

  it('accepts a label that somebody else created at the same time', async () => {
    const held = twin.control.fault({ kind: 'hold', route: 'POST /repos/{owner}/{repo}/labels' });
    const ours = github.ensureLabel(REPO, LABEL);
    while (held.waiting() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const number = await alice().openIssue(REPO, { title: 'Broken', labels: [LABEL.name] });
    expect(number).toBeGreaterThan(0);
    held.release();
    expect(await ours).toBe('kept');
    expect(listLabels()).toHaveLength(1);
  });

  it('refuses to write to a repository that is not configured', async () => {
    const number = await alice().openIssue(OTHER_REPO, { title: 'Elsewhere' });
    await expect(github.postIssueComment(OTHER_REPO, number, 'hi')).rejects.toThrow(/not configured/);
    expect(twin.history.list('write').filter(({ by }) => by === 'robot')).toEqual([]);
  });

  it.each([
    ['an error before it was applied', { kind: 'error', when: 'before', status: 502 }, 'unknown-outcome'],
    ['an error after it was applied', { kind: 'error', when: 'after', status: 502 }, 'unknown-outcome'],
    ['a dropped connection', { kind: 'drop', when: 'after' }, 'unknown-outcome'],
    ['a truncated response', { kind: 'truncated' }, 'unknown-outcome'],
    ['an HTML page', { kind: 'html', when: 'after', status: 200 }, 'unknown-outcome'],
    ['an expired token', { kind: 'expired-token' }, 'unauthorized'],
    ['a secondary limit', { kind: 'secondary-limit', retryAfterSeconds: 7 }, 'rate-limited'],
  ] as const)('sends a write once, and reports its outcome after %s', async (_name, fault, kind) => {
    const number = await alice().openIssue(REPO, { title: 'Broken' });
    const armed = twin.control.fault({
      ...fault,
      route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    });
    const failure = await failureOf(github.postIssueComment(REPO, number, 'hi'));
    expect(failure.kind).toBe(kind);
    expect(armed.hits()).toBe(1);
    const posts = twin.history.list('request').filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(1);
    if (kind === 'rate-limited') expect(failure.retryAfterMs).toBe(7_000);
  });

  it.each([
    ['an error', { kind: 'error', status: 500 }, 'unavailable'],
    ['a truncated response', { kind: 'truncated' }, 'invalid-data'],
    ['an HTML page', { kind: 'html', status: 200 }, 'invalid-data'],
    ['a secondary limit without an explanation', { kind: 'secondary-limit' }, 'rate-limited'],
  ] as const)('reports a failure when GitHub answers a read with %s', async (_name, fault, kind) => {
    twin.control.fault({ ...fault, route: 'GET /repos/{owner}/{repo}/issues' });
    const failure = await failureOf(github.fetchIssuesFeed(REPO, FRESH));
    expect(failure.kind).toBe(kind);
    if (kind === 'rate-limited') expect(failure.retryAfterMs).toBe(60_000);
    expect((await github.fetchIssuesFeed(REPO, FRESH)).kind).toBe('changed');
  });

  it('returns `ghost` as the author if the account was deleted', async () => {
    await alice().openIssue(REPO, { title: 'Broken' });
    twin.control.fault({ kind: 'null-user', route: 'GET /repos/{owner}/{repo}/issues' });
    const feed = await github.fetchIssuesFeed(REPO, FRESH);
    expect(feed.kind === 'changed' && feed.rows[0]?.author).toMatchObject({ id: 0, login: 'ghost' });
  });

  it('reports the remaining rate limit, even for a 304 or a rejected request', async () => {
    const feed = await github.fetchIssuesFeed(REPO, FRESH);
    const etag = feed.kind === 'changed' ? feed.etag : null;
    expect((await github.fetchIssuesFeed(REPO, { since: null, etag })).kind).toBe('unchanged');
    twin.control.exhaustRate('robot');
    expect((await failureOf(github.fetchIssuesFeed(REPO, FRESH))).kind).toBe('rate-limited');
    const { primaryPerHour: limit } = GITHUB_LIMITS;
    expect(limits.map(({ left }) => left)).toEqual([limit - 1, limit - 1, 0]);
    expect(limits[0]).toMatchObject({ limit, resetsAt: expect.any(Number) });
  });

  it('never puts the token into an error', async () => {
    twin.control.fault({ kind: 'expired-token', times: null });
    const failure = await failureOf(github.fetchViewer());
    expect(JSON.stringify([failure.message, failure])).not.toContain(twin.tokens['robot']);
  });
});
