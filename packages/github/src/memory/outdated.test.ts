import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import type { GitHub } from '../create-github.js';
import { aGitHubClient, aSeed, NO_RATE_LIMITS, REPO } from '../testing/a-github-client.js';

const LAG = { kind: 'lag', seconds: 30 } as const;

describe('a response that is older than an earlier one', () => {
  const clock = createManualClock();
  let twin: Twin;
  let github: GitHub;
  let pull: number;
  let sha: string;
  beforeEach(async () => {
    const seed = aSeed({ writers: ['bob', 'linter[bot]'] });
    twin = await startTwin({ seed, clock, limits: NO_RATE_LIMITS });
    github = aGitHubClient(twin);
    sha = await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    pull = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    clock.advance(60_000);
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  const request = (login: string, method: string, path: string, body: object = {}) =>
    twin.as(login).request(method, `/repos/${REPO}/${path}`, body);
  const say = (state: string) => request('bob', 'POST', `statuses/${sha}`, { context: 'ci', state });
  const check = (conclusion: string) =>
    request('linter[bot]', 'POST', 'check-runs', { name: 'lint', head_sha: sha, conclusion });
  const startRun = () => twin.actions.start(REPO, { branch: 'topic', by: 'bob' });
  const submit = (event: 'APPROVE' | 'COMMENT') =>
    twin.as('alice').submitReview(REPO, pull, { body: 'Hm', event });

  it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['list of reviews', () => submit('COMMENT'), () => github.fetchReviews(REPO, pull, null)],
    ['list of check runs', () => check('success'), () => github.fetchCheckRuns(REPO, sha, null)],
    ['list of statuses', () => say('success'), () => github.fetchCommitStatuses(REPO, sha, null)],
  ])('is refused for a %s, and read again later', async (_what, change, read) => {
    await Promise.all([submit('COMMENT'), check('failure'), say('failure')]);
    clock.advance(60_000);
    await change();
    const newest = await read();
    const fault = twin.control.fault(LAG);
    await expect(read()).rejects.toMatchObject({ kind: 'unavailable' });
    fault.clear();
    expect(await read()).toMatchObject(Object(newest));
  });

  it('is refused for a list of reviews without a dismissal', async () => {
    const review = await submit('APPROVE');
    clock.advance(60_000);
    await request('alice', 'PUT', `pulls/${pull}/reviews/${review}/dismissals`, { message: 'No' });
    await github.fetchReviews(REPO, pull, null);
    twin.control.fault(LAG);
    await expect(github.fetchReviews(REPO, pull, null)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('is accepted for a list of reviews after ten minutes, because GitHub hides accounts', async () => {
    await submit('COMMENT');
    await github.fetchReviews(REPO, pull, null);
    const fault = twin.control.fault({ ...LAG, seconds: 10_000 });
    await expect(github.fetchReviews(REPO, pull, null)).rejects.toMatchObject({ kind: 'unavailable' });
    clock.advance(600_000);
    expect(await github.fetchReviews(REPO, pull, null)).toMatchObject({ rows: [] });
    fault.clear();
  });

  it('leaves out the outdated rows of the lists of workflow runs', async () => {
    const run = startRun();
    clock.advance(60_000);
    twin.actions.finish(run, 'success');
    const feed = () => github.fetchActionsRunsFeed(REPO, { etag: null });
    expect(await feed()).toMatchObject({ rows: [{ id: run, conclusion: 'success' }] });
    twin.control.fault(LAG);
    expect(await feed()).toMatchObject({ rows: [] });
    expect(await github.fetchActionsRunsOf(REPO, sha)).toEqual([]);
  });

  it('is refused for a workflow run whose later version an earlier process has read', async () => {
    const id = startRun();
    const run = (await github.fetchActionsRun(REPO, id)) ?? { attempt: 0, updatedAt: '' };
    github.expectVersions(REPO, { issues: [], pulls: [], runs: [{ ...run, id, attempt: 2 }] });
    await expect(github.fetchActionsRun(REPO, id)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('leaves out the outdated rows of the feeds of issues and pull requests', async () => {
    await github.fetchIssuesFeed(REPO, { since: null, etag: null });
    await github.fetchPullsFeed(REPO, { etag: null });
    await twin.as('bob').label(REPO, pull, 'late');
    await github.fetchIssuesFeed(REPO, { since: null, etag: null });
    await github.fetchPullsFeed(REPO, { etag: null });
    twin.control.fault(LAG);
    expect(await github.fetchIssuesFeed(REPO, { since: null, etag: null })).toMatchObject({ rows: [] });
    expect(await github.fetchPullsFeed(REPO, { etag: null })).toMatchObject({ rows: [] });
  });

  it('accepts a check run that its app set back to pending', async () => {
    const { id } = Object(await check('failure'));
    await github.fetchCheckRuns(REPO, sha, null);
    await request('linter[bot]', 'PATCH', `check-runs/${id}`, { status: 'in_progress' });
    const read = await github.fetchCheckRuns(REPO, sha, null);
    expect(read).toMatchObject({ kind: 'changed' });
  });
});
