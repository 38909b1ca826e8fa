import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import type { GitHub } from './create-github.js';
import { aGitHubClient, aSeed, NO_RATE_LIMITS, OTHER_REPO, REPO } from './testing/a-github-client.js';

const LINES = Array.from({ length: 5 }, (_, line) => `line ${line + 1}`);
const REVIEWS = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

describe('the client for reviews, reviewers and labels', () => {
  let twin: Twin;
  let connect: (login: string) => GitHub;
  let github: GitHub;
  let pull: number;
  let sha: string;
  beforeEach(async () => {
    const seed = aSeed({ writers: ['bob', 'reviewer'], strangers: ['stranger'] });
    twin = await startTwin({ seed, clock: createManualClock(), limits: NO_RATE_LIMITS });
    connect = (login) => aGitHubClient(twin, { login });
    github = connect('robot');
    sha = await twin.as('robot').pushFiles(REPO, 'topic', { 'list.txt': `${LINES.join('\n')}\n` });
    pull = await twin.as('robot').openPull(REPO, { title: 'Add a list', head: 'topic' });
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  const on = (line: number, body: string) => ({ path: 'list.txt', line, side: 'RIGHT' as const, body });
  const review = (
    event: 'COMMENT' | 'APPROVE' | 'REQUEST_CHANGES',
    ...comments: ReturnType<typeof on>[]
  ) => ({
    commitSha: sha,
    event,
    body: 'As a whole',
    comments,
  });
  const commentsOf = async (review: number) =>
    (await github.fetchReviewComments(REPO, pull)).comments.filter(({ reviewId }) => reviewId === review);
  const listReviews = async () => {
    const answer = await github.fetchReviews(REPO, pull, null);
    return answer.kind === 'changed' ? answer.rows : [];
  };

  it('posts one review with its comments, and finds them again', async () => {
    await twin.as('bob').reviewComment(REPO, pull, on(1, 'from somebody else'));
    const posted = await github.postReview(REPO, pull, review('COMMENT', on(2, 'why?'), on(4, 'and this?')));
    expect(posted.url).toContain(`/pull/${pull}#pullrequestreview-${posted.id}`);
    expect((await listReviews()).find(({ id }) => id === posted.id)).toMatchObject({
      state: 'commented',
      body: 'As a whole',
      commitId: sha,
      author: { login: 'robot' },
    });
    const comments = await commentsOf(posted.id);
    expect(comments.map(({ path, line, body }) => ({ path, line, body }))).toEqual([
      { path: 'list.txt', line: 2, body: 'why?' },
      { path: 'list.txt', line: 4, body: 'and this?' },
    ]);
    const [first] = comments;
    expect(await github.fetchReviewComment(REPO, first?.id ?? 0)).toEqual(first);
    await github.postReviewReply(REPO, {
      pull,
      inReplyToId: first?.id ?? 0,
      body: 'a reply is a separate review',
    });
    expect(await commentsOf(posted.id)).toEqual(comments);
  });

  it.each([
    ['APPROVE', 'approved'],
    ['REQUEST_CHANGES', 'changes_requested'],
  ] as const)('posts %s only from a login other than the pull request’s author', async (event, state) => {
    await expect(github.postReview(REPO, pull, review(event))).rejects.toMatchObject({ kind: 'conflict' });
    const { id } = await connect('reviewer').postReview(REPO, pull, review(event));
    expect(await listReviews()).toMatchObject([{ id, state, author: { login: 'reviewer' } }]);
    expect(await commentsOf(id)).toEqual([]);
  });

  it('posts no part of a review that has a line outside the diff', async () => {
    const refused = github.postReview(REPO, pull, review('COMMENT', on(2, 'fine'), on(99, 'nowhere')));
    await expect(refused).rejects.toMatchObject({ kind: 'conflict' });
    expect(await listReviews()).toEqual([]);
  });

  it('posts the review on the reviewed commit, even if the branch has a newer head', async () => {
    await twin.as('robot').pushFiles(REPO, 'topic', { 'more.txt': 'x\n' });
    const { id } = await github.postReview(REPO, pull, review('COMMENT'));
    expect(await listReviews()).toMatchObject([{ id, commitId: sha }]);
  });

  it.each([
    ['an error', { kind: 'error', when: 'after', status: 502 }],
    ['a dropped connection', { kind: 'drop', when: 'after' }],
    ['a truncated response', { kind: 'truncated' }],
  ] as const)('sends a review once and reports an unknown outcome after %s', async (_name, fault) => {
    const armed = twin.control.fault({ ...fault, route: REVIEWS });
    const unknown = github.postReview(REPO, pull, review('COMMENT', on(2, 'why?')));
    await expect(unknown).rejects.toMatchObject({ kind: 'unknown-outcome' });
    expect([armed.hits(), (await listReviews()).length]).toEqual([1, 1]);
  });

  it('requests reviews, and returns the requested reviewers', async () => {
    expect(await github.requestReviewers(REPO, pull, ['bob'])).toEqual(['bob']);
    expect(await github.requestReviewers(REPO, pull, ['bob', 'alice'])).toEqual(['bob', 'alice']);
    expect(await github.fetchRequestedReviewers(REPO, pull)).toEqual(['bob', 'alice']);
  });

  it.each(['stranger', 'nobody', 'robot'])('cannot request a review from %s', async (login) => {
    const refused = github.requestReviewers(REPO, pull, [login]);
    await expect(refused).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('adds labels and keeps the others', async () => {
    await twin.as('alice').label(REPO, pull, 'kept');
    const names = ['kept', 'needs human review'];
    expect(await github.addLabels(REPO, pull, ['needs human review'])).toEqual(names);
    expect(await github.addLabels(REPO, pull, names)).toEqual(names);
    expect((await github.fetchIssue(REPO, pull)).labels).toEqual(names);
    await expect(github.addLabels(REPO, 999, ['x'])).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('removes one label and keeps the others', async () => {
    await github.addLabels(REPO, pull, ['kept', 'needs: a/human ü']);
    expect(await github.removeLabel(REPO, pull, 'needs: a/human ü')).toEqual(['kept']);
    await expect(github.removeLabel(REPO, pull, 'needs: a/human ü')).rejects.toMatchObject({
      kind: 'not-found',
    });
  });

  it('writes nothing to a repository that is not configured', async () => {
    const elsewhere = OTHER_REPO;
    for (const write of [
      github.postReview(elsewhere, pull, review('COMMENT')),
      github.requestReviewers(elsewhere, pull, ['bob']),
      github.addLabels(elsewhere, pull, ['x']),
      github.removeLabel(elsewhere, pull, 'x'),
    ])
      await expect(write).rejects.toThrow(/not configured/);
    expect(twin.history.list('request')).toEqual([]);
  });
});
