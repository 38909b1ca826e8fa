import { silentLog } from '@mergexo/core/basics';
import { createManualClock, GITHUB_LIMITS, startTwin, type Twin } from '@mergexo/github-twin';
import { createGitHub, type GitHub } from './create-github.js';

const REPO = 'acme/app';
const PLENTY = 1_000_000;
const LINES = Array.from({ length: 5 }, (_, line) => `line ${line + 1}`);
const REVIEWS = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

describe('reviewing', () => {
  let twin: Twin;
  let connect: (login: string) => GitHub;
  let github: GitHub;
  let pull: number;
  let sha: string;
  beforeEach(async () => {
    const clock = createManualClock();
    twin = await startTwin({
      seed: {
        users: [
          { login: 'acme', type: 'Organization' },
          { login: 'alice' },
          { login: 'bob' },
          { login: 'stranger' },
          { login: 'robot' },
          { login: 'reviewer' },
        ],
        repos: [
          {
            name: REPO,
            permissions: { alice: 'admin', bob: 'write', robot: 'write', reviewer: 'write' },
            files: { 'README.md': 'hi\n' },
          },
        ],
      },
      clock,
      limits: { ...GITHUB_LIMITS, contentPerMinute: PLENTY, contentPerHour: PLENTY, pointsPerMinute: PLENTY },
    });
    connect = (login) =>
      createGitHub({
        apiUrl: twin.apiUrl,
        token: async () => twin.tokens[login] ?? '',
        writable: [REPO],
        userAgent: 'mergexo-test',
        throttled: false,
        now: () => clock.now(),
        log: silentLog,
      });
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
  const listReviews = async () => {
    const answer = await github.fetchReviews(REPO, pull, null);
    return answer.kind === 'changed' ? answer.rows : [];
  };

  it('posts one review with its comments, and finds these again', async () => {
    await twin.as('bob').reviewComment(REPO, pull, on(1, 'from somebody else'));
    const posted = await github.postReview(REPO, pull, review('COMMENT', on(2, 'why?'), on(4, 'and this?')));
    expect(posted.url).toContain(`/pull/${pull}#pullrequestreview-${posted.id}`);
    expect((await listReviews()).find(({ id }) => id === posted.id)).toMatchObject({
      state: 'commented',
      body: 'As a whole',
      commitId: sha,
      author: { login: 'robot' },
    });
    const comments = await github.fetchReviewCommentsOf(REPO, pull, posted.id);
    expect(comments.map(({ path, line, body }) => ({ path, line, body }))).toEqual([
      { path: 'list.txt', line: 2, body: 'why?' },
      { path: 'list.txt', line: 4, body: 'and this?' },
    ]);
    const [first] = comments;
    expect(await github.fetchReviewComment(REPO, first?.id ?? 0)).toEqual(first);
    await github.postReviewReply(REPO, pull, first?.id ?? 0, 'a reply is a review of its own');
    expect(await github.fetchReviewCommentsOf(REPO, pull, posted.id)).toEqual(comments);
  });

  it.each([
    ['APPROVE', 'approved'],
    ['REQUEST_CHANGES', 'changes_requested'],
  ] as const)('says %s with a second identity only', async (event, state) => {
    await expect(github.postReview(REPO, pull, review(event))).rejects.toMatchObject({ kind: 'conflict' });
    const { id } = await connect('reviewer').postReview(REPO, pull, review(event));
    expect(await listReviews()).toMatchObject([{ id, state, author: { login: 'reviewer' } }]);
    expect(await github.fetchReviewCommentsOf(REPO, pull, id)).toEqual([]);
  });

  it('posts nothing of a review with one line outside the diff', async () => {
    const refused = github.postReview(REPO, pull, review('COMMENT', on(2, 'fine'), on(99, 'nowhere')));
    await expect(refused).rejects.toMatchObject({ kind: 'conflict' });
    expect(await listReviews()).toEqual([]);
  });

  it('reviews the head that it was made for, also when there is a newer one', async () => {
    await twin.as('robot').pushFiles(REPO, 'topic', { 'more.txt': 'x\n' });
    const { id } = await github.postReview(REPO, pull, review('COMMENT'));
    expect(await listReviews()).toMatchObject([{ id, commitId: sha }]);
  });

  it.each([
    ['an error', { kind: 'error', when: 'after', status: 502 }],
    ['a dropped connection', { kind: 'drop', when: 'after' }],
    ['half an answer', { kind: 'truncated' }],
  ] as const)('sends a review once and calls its outcome unknown after %s', async (_name, fault) => {
    const armed = twin.control.fault({ ...fault, route: REVIEWS });
    const unknown = github.postReview(REPO, pull, review('COMMENT', on(2, 'why?')));
    await expect(unknown).rejects.toMatchObject({ kind: 'unknown-outcome' });
    expect([armed.hits(), (await listReviews()).length]).toEqual([1, 1]);
  });

  it('asks people for a review, and says who is asked', async () => {
    expect(await github.requestReviewers(REPO, pull, ['bob'])).toEqual(['bob']);
    expect(await github.requestReviewers(REPO, pull, ['bob', 'alice'])).toEqual(['bob', 'alice']);
    expect(await github.fetchRequestedReviewers(REPO, pull)).toEqual(['bob', 'alice']);
  });

  it.each(['stranger', 'nobody', 'robot'])('cannot ask %s for a review', async (login) => {
    const refused = github.requestReviewers(REPO, pull, [login]);
    await expect(refused).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('adds labels and leaves the others', async () => {
    await twin.as('alice').label(REPO, pull, 'kept');
    const names = ['kept', 'needs human review'];
    expect(await github.addLabels(REPO, pull, ['needs human review'])).toEqual(names);
    expect(await github.addLabels(REPO, pull, names)).toEqual(names);
    expect((await github.fetchIssue(REPO, pull)).labels).toEqual(names);
    await expect(github.addLabels(REPO, 999, ['x'])).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('removes one label and leaves the others', async () => {
    await github.addLabels(REPO, pull, ['kept', 'needs: a/human ü']);
    expect(await github.removeLabel(REPO, pull, 'needs: a/human ü')).toEqual(['kept']);
    await expect(github.removeLabel(REPO, pull, 'needs: a/human ü')).rejects.toMatchObject({
      kind: 'not-found',
    });
  });

  it('writes nothing to a repository that is not configured', async () => {
    const elsewhere = 'acme/other';
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
