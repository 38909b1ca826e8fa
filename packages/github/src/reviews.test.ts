import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '@mergexo/core/basics';
import { createManualClock, type FaultHandle, startTwin, type Twin } from '@mergexo/github-twin';
import { z } from 'zod';
import type { GitHub } from './create-github.js';
import { statusOf } from './http/to-failure.js';
import { aGitHubClient, aSeed, NO_RATE_LIMITS, REPO } from './testing/a-github-client.js';

const FRESH = { since: null, etag: null };
const Created = z.object({ id: z.number() });
const LINES = Array.from({ length: 5 }, (_, line) => `line ${line + 1}`);

describe('the client for reviews and their comments', () => {
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
    await alice().pushFiles(REPO, 'topic', { 'list.txt': `${LINES.join('\n')}\n` });
    pull = await alice().openPull(REPO, { title: 'Add a list', head: 'topic' });
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  const alice = () => twin.as('alice');
  const bob = () => twin.as('bob');
  const counted = () => twin.control.ledger('robot').counted;
  const onLine = (line: number, body: string) => ({ path: 'list.txt', line, body });
  const commentOften = async (times: number) => {
    for (let i = 1; i <= times; i += 1) await bob().reviewComment(REPO, pull, onLine(1, `comment ${i}`));
  };
  const read = async (etag: string | null) => {
    const answer = await github.fetchReviews(REPO, pull, etag);
    if (answer.kind !== 'changed') throw new Error('the response is unchanged');
    return answer;
  };
  const reached = async (fault: FaultHandle) => {
    while (fault.waiting() === 0) await delay(5);
  };

  it('returns the position of a comment and the comment that it replies to', async () => {
    const first = await bob().reviewComment(REPO, pull, onLine(2, 'why?'));
    const reply = await alice().reply(REPO, first, 'because');
    const { pull: details, comments } = await github.fetchReviewComments(REPO, pull);
    expect(details).toMatchObject({ number: pull, reviewCommentCount: 2, commentCount: 0 });
    expect(comments).toEqual([
      expect.objectContaining({
        id: first,
        pullNumber: pull,
        body: 'why?',
        author: expect.objectContaining({ login: 'bob', id: twin.userId('bob') }),
        path: 'list.txt',
        line: 2,
        originalLine: 2,
        side: 'RIGHT',
        inReplyToId: null,
        reviewId: expect.any(Number),
        commitId: details.headSha,
        url: expect.stringContaining(`/pull/${pull}#discussion_r${first}`),
        diffHunk: expect.stringContaining('+line 2'),
      }),
      expect.objectContaining({ id: reply, inReplyToId: first, body: 'because' }),
    ]);
  });

  it('returns the range of a comment on several lines', async () => {
    const id = await bob().reviewComment(REPO, pull, { ...onLine(3, 'why?'), start_line: 2 });
    expect(await github.fetchReviewComment(REPO, id)).toMatchObject({ startLine: 2, line: 3 });
    const reversed = bob().reviewComment(REPO, pull, { ...onLine(2, 'why?'), start_line: 3 });
    await expect(reversed).rejects.toThrow('must be part of the diff');
  });

  it('returns the side on which a range starts', async () => {
    await alice().pushFiles(REPO, 'topic', { 'README.md': 'hello\nworld\n' });
    const range = { path: 'README.md', start_line: 1, line: 2 };
    const mixed = await bob().reviewComment(REPO, pull, { ...range, start_side: 'LEFT', body: 'why?' });
    const comment = await github.fetchReviewComment(REPO, mixed);
    expect(comment).toMatchObject({ startLine: 1, startSide: 'LEFT', line: 2, side: 'RIGHT' });
    const same = await bob().reviewComment(REPO, pull, { ...range, body: 'why?' });
    expect(await github.fetchReviewComment(REPO, same)).toMatchObject({ startSide: 'RIGHT' });
  });

  it('keeps the original lines and commit of an outdated comment', async () => {
    const { headSha } = (await github.fetchReviewComments(REPO, pull)).pull;
    const id = await bob().reviewComment(REPO, pull, { ...onLine(3, 'why?'), start_line: 2 });
    await alice().pushFiles(REPO, 'topic', { 'list.txt': 'another\n' });
    expect(await github.fetchReviewComment(REPO, id)).toMatchObject({
      startLine: null,
      line: null,
      originalStartLine: 2,
      originalLine: 3,
      originalCommitId: headSha,
    });
  });

  it('reads the whole comments feed, returns edits, and uses no rate limit quota while the feed is unchanged', async () => {
    await commentOften(105);
    const first = await github.fetchReviewCommentsFeed(REPO, FRESH);
    if (first.kind !== 'changed') throw new Error('the response is unchanged');
    expect(new Set(first.rows.map(({ id }) => id)).size).toBe(105);
    const oldest = first.rows.at(-1);
    const position = { since: first.rows[0]?.updatedAt ?? null, etag: null };
    twin.control.advance(5_000);
    await bob().editReviewComment(REPO, oldest?.id ?? 0, 'on second thought');
    const second = await github.fetchReviewCommentsFeed(REPO, position);
    if (second.kind !== 'changed') throw new Error('the response is unchanged');
    expect(second.rows[0]).toMatchObject({ id: oldest?.id, body: 'on second thought' });
    expect(second.rows[0]?.updatedAt).not.toBe(oldest?.updatedAt);
    const before = counted();
    expect(await github.fetchReviewCommentsFeed(REPO, { ...position, etag: second.etag })).toEqual({
      kind: 'unchanged',
    });
    expect(counted()).toBe(before);
  });

  it('lists all comments of a pull request over several pages, each exactly once', async () => {
    await commentOften(205);
    const fault = twin.control.fault({
      kind: 'shift',
      by: -3,
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
    });
    const { comments } = await github.fetchReviewComments(REPO, pull);
    expect(fault.hits()).toBeGreaterThan(0);
    expect(comments.map(({ body }) => body)).toEqual(
      Array.from({ length: 205 }, (_, index) => `comment ${index + 1}`),
    );
  });

  it('does not accept a lagging list of comments as complete', async () => {
    await bob().reviewComment(REPO, pull, onLine(1, 'why?'));
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments';
    twin.control.fault({ kind: 'lag', seconds: 60, route });
    await expect(github.fetchReviewComments(REPO, pull)).rejects.toMatchObject({ kind: 'unavailable' });
    twin.control.advance(61_000);
    expect((await github.fetchReviewComments(REPO, pull)).comments).toHaveLength(1);
  });

  it.each([
    ['review comments', 'pulls/{pull_number}'],
    ['the conversation', 'issues/{issue_number}'],
  ])('detects that %s moved during the read, even if the counts agree', async (_name, thread) => {
    const inline = thread.startsWith('pulls');
    if (inline) await commentOften(105);
    else for (let i = 1; i <= 105; i += 1) await bob().comment(REPO, pull, `comment ${i}`);
    const list = () => (inline ? github.fetchReviewComments(REPO, pull) : github.fetchThread(REPO, pull));
    const [first] = (await list()).comments;
    const held = twin.control.fault({
      kind: 'hold',
      skip: 1,
      route: `GET /repos/{owner}/{repo}/${thread}/comments`,
    });
    const reading = list().catch((error: unknown) => error);
    await reached(held);
    if (inline) await bob().deleteReviewComment(REPO, first?.id ?? 0);
    else await bob().deleteComment(REPO, first?.id ?? 0);
    held.release();
    expect(await reading).toMatchObject({ name: 'Failure', kind: 'unavailable' });
    expect((await list()).comments).toHaveLength(104);
  });

  it('misses no row of a feed when another row is deleted during the read', async () => {
    await commentOften(105);
    const before = await github.fetchReviewCommentsFeed(REPO, FRESH);
    const newest = before.kind === 'changed' ? before.rows.slice(0, 2) : [];
    const held = twin.control.fault({
      kind: 'hold',
      skip: 1,
      route: 'GET /repos/{owner}/{repo}/pulls/comments',
    });
    const reading = github.fetchReviewCommentsFeed(REPO, FRESH);
    await reached(held);
    for (const { id } of newest) await bob().deleteReviewComment(REPO, id);
    twin.control.advance(5_000);
    await bob().reviewComment(REPO, pull, onLine(1, 'and another'));
    held.release();
    const feed = await reading;
    if (feed.kind !== 'changed') throw new Error('the response is unchanged');
    expect(feed.rows[0]?.body).toBe('and another');
    expect(new Set(feed.rows.map(({ id }) => id)).size).toBe(feed.rows.length);
    const { comments } = await github.fetchReviewComments(REPO, pull);
    const seen = new Set(feed.rows.map(({ id }) => id));
    expect(comments.filter(({ id }) => !seen.has(id))).toEqual([]);
    expect(await github.fetchReviewCommentsFeed(REPO, { since: null, etag: feed.etag })).toEqual({
      kind: 'unchanged',
    });
  });

  it('uses rate limit quota once per page of a list', async () => {
    await commentOften(105);
    const before = counted();
    await github.fetchReviewComments(REPO, pull);
    expect(counted() - before).toBe(3);
  });

  it('returns verdicts, comments and dismissals with their states', async () => {
    const approval = await bob().submitReview(REPO, pull, { event: 'APPROVE' });
    await bob().submitReview(REPO, pull, { event: 'REQUEST_CHANGES', body: 'no' });
    await bob().submitReview(REPO, pull, { body: 'by the way' });
    const { rows } = await read(null);
    expect(rows.map(({ state, body }) => [state, body])).toEqual([
      ['approved', ''],
      ['changes_requested', 'no'],
      ['commented', 'by the way'],
    ]);
    expect(rows[0]).toMatchObject({
      id: approval,
      author: { login: 'bob' },
      submittedAt: expect.any(String),
    });
    expect(rows[0]?.commitId).toBe((await github.fetchPull(REPO, pull)).headSha);
    await alice().request('PUT', `/repos/${REPO}/pulls/${pull}/reviews/${approval}/dismissals`, {
      message: 'old',
    });
    expect((await read(null)).rows[0]).toMatchObject({ id: approval, state: 'dismissed' });
  });

  it.each([0, 1, 100, 101])(
    'uses no rate limit quota while %i reviews are unchanged, and returns the next one',
    async (times) => {
      for (let i = 1; i <= times; i += 1) await bob().submitReview(REPO, pull, { body: `remark ${i}` });
      const first = await read(null);
      expect(first.rows).toHaveLength(times);
      const before = counted();
      expect(await github.fetchReviews(REPO, pull, first.etag)).toEqual({ kind: 'unchanged' });
      expect(counted()).toBe(before);
      const id = await bob().submitReview(REPO, pull, { event: 'APPROVE' });
      const second = await read(first.etag);
      expect(second.rows.map((review) => review.id)).toEqual([...first.rows.map((review) => review.id), id]);
      expect(await github.fetchReviews(REPO, pull, second.etag)).toEqual({ kind: 'unchanged' });
    },
  );

  it('returns a dismissal from a page before the last', async () => {
    const approval = await bob().submitReview(REPO, pull, { event: 'APPROVE' });
    for (let i = 1; i <= 104; i += 1) await bob().submitReview(REPO, pull, { body: `remark ${i}` });
    const { etag } = await read(null);
    await alice().request('PUT', `/repos/${REPO}/pulls/${pull}/reviews/${approval}/dismissals`, {
      message: 'old',
    });
    const { rows } = await read(etag);
    expect([rows.length, rows[0]?.state]).toEqual([105, 'dismissed']);
  });

  it("does not return another login's pending review until it is submitted", async () => {
    const place = { path: 'list.txt', line: 1, body: 'not yet' };
    const path = `/repos/${REPO}/pulls/${pull}/reviews`;
    const { id } = Created.parse(await bob().request('POST', path, { comments: [place] }));
    const before = await read(null);
    expect(before.rows).toEqual([]);
    expect((await github.fetchReviewComments(REPO, pull)).comments).toEqual([]);
    await bob().request('POST', `${path}/${id}/events`, { event: 'COMMENT' });
    expect((await read(before.etag)).rows).toMatchObject([{ id, state: 'commented' }]);
    expect((await github.fetchReviewComments(REPO, pull)).comments).toMatchObject([
      { body: 'not yet', reviewId: id },
    ]);
  });

  it('returns our own pending review as pending', async () => {
    await twin.as('robot').request('POST', `/repos/${REPO}/pulls/${pull}/reviews`, { body: 'draft' });
    expect((await read(null)).rows).toMatchObject([{ state: 'pending', submittedAt: null }]);
  });

  it('distinguishes a deleted comment from an invisible repository', async () => {
    const remark = await bob().comment(REPO, pull, 'hello');
    const inline = await bob().reviewComment(REPO, pull, onLine(1, 'why?'));
    const both = () =>
      Promise.allSettled([github.fetchIssueComment(REPO, remark), github.fetchReviewComment(REPO, inline)]);
    expect(await both()).toMatchObject([{ value: { id: remark, thread: pull } }, { value: { id: inline } }]);
    await bob().deleteComment(REPO, remark);
    await bob().deleteReviewComment(REPO, inline);
    expect(await both()).toMatchObject([{ value: null }, { value: null }]);
    twin.control.setPermission(REPO, 'robot', null);
    const refused = { status: 'rejected', reason: { name: 'Failure', kind: 'not-found' } };
    expect(await both()).toMatchObject([refused, refused]);
  });

  it('does not report a comment as deleted if the repository could not be read', async () => {
    twin.control.fault({ kind: 'error', status: 502, route: 'GET /repos/{owner}/{repo}' });
    await expect(github.fetchIssueComment(REPO, 999)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(github.fetchIssueComment(REPO, 999)).resolves.toBeNull();
  });

  it('replies in a thread only through its first comment', async () => {
    const first = await bob().reviewComment(REPO, pull, onLine(1, 'why?'));
    const { id } = await github.postReviewReply(REPO, { pull, inReplyToId: first, body: 'because' });
    const reply = await github.fetchReviewComment(REPO, id);
    expect(reply).toMatchObject({ inReplyToId: first, body: 'because', author: { login: 'robot' } });
    const refusal = await github
      .postReviewReply(REPO, { pull, inReplyToId: id, body: 'and' })
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({ kind: 'conflict' });
    const again = await github.postReviewReply(REPO, {
      pull,
      inReplyToId: reply?.inReplyToId ?? id,
      body: 'and',
    });
    expect(await github.fetchReviewComment(REPO, again.id)).toMatchObject({ inReplyToId: first });
  });

  it.each([
    ['an error', { kind: 'error', when: 'after', status: 502 }],
    ['a dropped connection', { kind: 'drop', when: 'after' }],
  ] as const)('sends a reply once, and reports an unknown outcome after %s', async (_name, fault) => {
    const first = await bob().reviewComment(REPO, pull, onLine(1, 'why?'));
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
    twin.control.fault({ ...fault, route });
    await expect(
      github.postReviewReply(REPO, { pull, inReplyToId: first, body: 'because' }),
    ).rejects.toMatchObject({
      kind: 'unknown-outcome',
    });
    expect((await github.fetchReviewComments(REPO, pull)).comments).toHaveLength(2);
  });

  it('returns the status of a rejected write', async () => {
    const first = await bob().reviewComment(REPO, pull, onLine(1, 'why?'));
    const refuse = async (write: Promise<unknown>) => {
      const failure = await write.catch((error: unknown) => error);
      if (!(failure instanceof Failure)) throw new Error('the write was not refused');
      return [failure.kind, statusOf(failure)];
    };
    expect(await refuse(github.postReviewReply(REPO, { pull, inReplyToId: 999, body: 'x' }))).toEqual([
      'not-found',
      404,
    ]);
    twin.control.archive(REPO, true);
    expect(await refuse(github.postReviewReply(REPO, { pull, inReplyToId: first, body: 'x' }))).toEqual([
      'unauthorized',
      403,
    ]);
    twin.control.archive(REPO, false);
    const gone = await alice().openIssue(REPO, { title: 'Gone' });
    twin.control.deleteIssue(REPO, gone);
    expect(await refuse(github.postIssueComment(REPO, gone, 'x'))).toEqual(['not-found', 410]);
    twin.control.fault({ kind: 'drop', route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments' });
    expect(await refuse(github.postIssueComment(REPO, pull, 'x'))).toEqual(['unknown-outcome', null]);
  });
});
