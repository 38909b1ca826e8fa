import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import type { GitHub } from '../create-github.js';
import { aGitHubClient, aSeed, NO_RATE_LIMITS, REPO } from '../testing/a-github-client.js';

const FRESH = { since: null, etag: null };

describe('a client that remembers responses', () => {
  let twin: Twin;
  let github: GitHub;
  let pull: number;
  beforeEach(async () => {
    twin = await startTwin({
      seed: aSeed({ writers: ['bob'] }),
      clock: createManualClock(),
      limits: NO_RATE_LIMITS,
    });
    github = aGitHubClient(twin, { apiVersion: '2026-03-10' });
    await bob().pushFiles(REPO, 'topic', { 'list.txt': 'one\ntwo\n' });
    pull = await bob().openPull(REPO, { title: 'Add a list', head: 'topic' });
    await bob().comment(REPO, pull, 'first');
    await bob().reviewComment(REPO, pull, { path: 'list.txt', line: 1, body: 'why?' });
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  const bob = () => twin.as('bob');
  /** The requests that `work` makes, such as `304 pulls/1`. */
  const requestsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    const before = twin.history.list('request').length;
    await work();
    return twin.history
      .list('request')
      .slice(before)
      .map(({ status, path }) => `${status} ${path.replace(`/repos/${REPO}/`, '')}`)
      .sort();
  };
  const refresh = (maxAgeMs = 0) => github.refreshPull(REPO, pull, { maxAgeMs });
  const bodies = async (maxAgeMs = 0) => (await refresh(maxAgeMs)).conversation.map(({ body }) => body);

  it('reads a pull request completely at first, and then only the pull request and its reviews', async () => {
    expect(await requestsOf(refresh)).toEqual([
      `200 issues/${pull}/comments`,
      `200 pulls/${pull}`,
      `200 pulls/${pull}/comments`,
      `200 pulls/${pull}/reviews`,
    ]);
    expect(await requestsOf(refresh)).toEqual([`304 pulls/${pull}`, `304 pulls/${pull}/reviews`]);
    const { conversation, reviewComments, reviews } = await refresh();
    expect([conversation.length, reviewComments.length, reviews.length]).toEqual([1, 1, 1]);
  });

  it('lists comments again if one was deleted or added', async () => {
    await refresh();
    await bob().comment(REPO, pull, 'second');
    expect(await bodies()).toEqual(['first', 'second']);
    const [{ id } = { id: 0 }] = (await refresh()).conversation;
    await bob().request('DELETE', `/repos/${REPO}/issues/comments/${id}`);
    expect(await bodies()).toEqual(['second']);
  });

  it('learns of comments and edits from the feeds, without a list', async () => {
    await refresh();
    const second = await bob().comment(REPO, pull, 'second');
    await github.fetchIssueCommentsFeed(REPO, FRESH);
    expect(await requestsOf(refresh)).toEqual([`200 pulls/${pull}`, `304 pulls/${pull}/reviews`]);
    twin.control.advance(2_000);
    await bob().request('PATCH', `/repos/${REPO}/issues/comments/${second}`, { body: 'edited' });
    await github.fetchIssueCommentsFeed(REPO, FRESH);
    expect(await bodies()).toEqual(['first', 'edited']);
  });

  it('learns of its own posts from the responses', async () => {
    await refresh();
    await github.postIssueComment(REPO, pull, 'ours');
    const { reviewComments } = await refresh();
    await github.postReviewReply(REPO, { pull, inReplyToId: reviewComments[0]?.id ?? 0, body: 'because' });
    const requests = await requestsOf(async () =>
      expect((await refresh()).reviewComments.map(({ body }) => body)).toEqual(['why?', 'because']),
    );
    expect(requests.filter((request) => request.includes('comments'))).toEqual([]);
  });

  it('lists line comments again after a push, because their lines may have moved', async () => {
    await refresh();
    await bob().pushFiles(REPO, 'topic', { 'list.txt': 'zero\none\ntwo\n' });
    const requests = await requestsOf(refresh);
    expect(requests.filter((request) => request.includes('comments'))).toEqual([
      expect.stringContaining(`pulls/${pull}/comments`),
    ]);
  });

  it('returns the comments of a review that was submitted while the pull request was read', async () => {
    await refresh();
    twin.control.advance(5_000);
    await bob().submitReview(REPO, pull, {
      event: 'COMMENT',
      body: 'Two things.',
      comments: [{ path: 'list.txt', line: 2, body: 'and this?' }],
    });
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    twin.control.fault({ kind: 'stale', seconds: 3, times: 1, route });
    const { reviews, reviewComments } = await refresh();
    expect(reviews.map(({ body }) => body)).toEqual(['', 'Two things.']);
    expect(reviewComments.map(({ body }) => body)).toEqual(['why?', 'and this?']);
  });

  describe('without a request', () => {
    it('returns an object that was read a moment ago', async () => {
      await refresh();
      expect(await requestsOf(() => refresh(2_000))).toEqual([]);
      twin.control.advance(2_000);
      expect(await requestsOf(() => refresh(2_000))).not.toEqual([]);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['a feed of comments', () => github.fetchIssueCommentsFeed(REPO, FRESH)],
      ['a feed of line comments', () => github.fetchReviewCommentsFeed(REPO, FRESH)],
      ['the list of pull requests', () => github.fetchPullsFeed(REPO, { etag: null })],
      ['the feed of issues', () => github.fetchIssuesFeed(REPO, FRESH)],
    ])('returns nothing older than a change in %s', async (_what, read) => {
      await read();
      await refresh();
      twin.control.advance(1_000);
      await bob().comment(REPO, pull, 'second');
      await bob().reviewComment(REPO, pull, { path: 'list.txt', line: 2, body: 'and this?' });
      await read();
      expect(await bodies(60_000)).toEqual(['first', 'second']);
    });

    it('returns nothing older than its own post', async () => {
      await refresh();
      twin.control.advance(1);
      await github.postIssueComment(REPO, pull, 'ours');
      expect(await bodies(60_000)).toEqual(['first', 'ours']);
    });

    it('returns an issue that the latest feed did not report as changed', async () => {
      const issue = await bob().openIssue(REPO, { title: 'Broken' });
      const feed = await github.fetchIssuesFeed(REPO, FRESH);
      const etag = feed.kind === 'changed' ? feed.etag : null;
      expect(await requestsOf(() => github.refreshIssue(REPO, issue, 2_000))).toEqual([]);
      twin.control.advance(60_000);
      expect(await requestsOf(() => github.refreshIssue(REPO, issue, 2_000))).toEqual([
        `200 issues/${issue}`,
      ]);
      twin.control.advance(60_000);
      await github.fetchIssuesFeed(REPO, { since: null, etag });
      expect(await requestsOf(() => github.refreshIssue(REPO, issue, 2_000))).toEqual([]);
      // The feed does not report a deleted comment, so a thread needs the issue itself.
      expect(await requestsOf(() => github.refreshThread(REPO, issue, 2_000))).toEqual([
        `304 issues/${issue}`,
      ]);
    });
  });

  it('finds a post in a new list even if a deleted comment keeps the number of comments the same', async () => {
    await github.fetchThread(REPO, pull);
    const [{ id } = { id: 0 }] = (await refresh()).conversation;
    await bob().request('DELETE', `/repos/${REPO}/issues/comments/${id}`);
    await bob().comment(REPO, pull, 'second');
    expect((await github.fetchThread(REPO, pull)).comments.map(({ body }) => body)).toEqual(['second']);
  });

  it('reads a list with a full last page again, because its ETag does not change when a page is added', async () => {
    for (let i = 2; i <= 100; i += 1) await bob().comment(REPO, pull, `comment ${i}`);
    expect((await github.fetchThread(REPO, pull)).comments).toHaveLength(100);
    await bob().comment(REPO, pull, 'one more');
    expect((await github.fetchThread(REPO, pull)).comments).toHaveLength(101);
  });

  it('refuses a version of a pull request that is older than the version in the list', async () => {
    const pulls = [{ number: pull, updatedAt: '2099-01-01T00:00:00Z' }];
    github.expectVersions(REPO, { issues: [], pulls, runs: [] });
    await expect(github.fetchPull(REPO, pull)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await github.fetchPullsFeed(REPO, { etag: null })).toMatchObject({ rows: [] });
  });
});
