import { throttling } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';
import type { Twin } from '../start/start-twin.js';
import { at } from '../testing/json-fields.js';
import { listNotModified, REPO, startTestTwin } from '../testing/test-twin.js';

const [owner = '', repo = ''] = REPO.split('/');

function connect(twin: Twin, as = 'bob', retries: string[] = []) {
  const Throttled = Octokit.plugin(throttling);
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return new Throttled({
    auth: twin.tokens[as],
    baseUrl: twin.url,
    log,
    // Each request reports a deprecated version to its own log.
    request: { log },
    throttle: {
      // Each test needs its own limiter, because the plugin shares its limiters across the process.
      id: twin.url,
      onRateLimit: () => false,
      onSecondaryRateLimit: (retryAfter: number) => retries.push(`after ${retryAfter}`) === 1,
    },
  });
}

describe('Octokit with the throttling plugin', () => {
  it('works from a new issue to a merged pull request', async () => {
    const twin = await startTestTwin();
    const octokit = connect(twin);
    const issue = await octokit.rest.issues.create({ owner, repo, title: 'Broken', labels: ['bug'] });
    await twin.as('bob').pushFiles(REPO, 'fix/broken', { 'fix.txt': 'fixed\n' });
    const pull = await octokit.rest.pulls.create({
      owner,
      repo,
      title: 'Fix',
      head: 'fix/broken',
      base: 'main',
      body: `Fixes #${issue.data.number}`,
    });
    expect(pull.data.head.ref).toBe('fix/broken');
    const merged = await octokit.rest.pulls.merge({
      owner,
      repo,
      pull_number: pull.data.number,
      sha: pull.data.head.sha,
    });
    expect(merged.data.merged).toBe(true);
    const closed = await octokit.rest.issues.get({ owner, repo, issue_number: issue.data.number });
    expect([closed.data.state, closed.data.state_reason]).toEqual(['closed', 'completed']);
  });

  it('follows the links to all pages', async () => {
    const twin = await startTestTwin();
    const number = await twin.as('bob').openIssue(REPO, { title: 'Long' });
    for (let index = 0; index < 25; index += 1)
      await twin.as('bob').comment(REPO, number, `comment ${index}`);
    const octokit = connect(twin);
    const all = await octokit.paginate(octokit.rest.issues.listComments, {
      owner,
      repo,
      issue_number: number,
      per_page: 10,
    });
    expect(all.map((comment) => comment.body)).toEqual(
      Array.from({ length: 25 }, (_, index) => `comment ${index}`),
    );
  });

  it('throws on a 304 response, which does not count towards the limit', async () => {
    const twin = await startTestTwin();
    const octokit = connect(twin);
    const { headers } = await octokit.rest.pulls.list({ owner, repo, state: 'all' });
    const again = octokit.rest.pulls.list({
      owner,
      repo,
      state: 'all',
      headers: { 'if-none-match': headers.etag },
    });
    await expect(again).rejects.toMatchObject({ status: 304 });
    expect([twin.control.ledger('bob').counted, listNotModified(twin).length]).toEqual([1, 1]);
  });

  it('recognizes the secondary limit by its message and waits for retry-after', async () => {
    const twin = await startTestTwin();
    const retries: string[] = [];
    const octokit = connect(twin, 'bob', retries);
    twin.control.fault({
      route: 'POST /repos/{owner}/{repo}/issues',
      kind: 'secondary-limit',
      retryAfterSeconds: 1,
    });
    const created = await octokit.rest.issues.create({ owner, repo, title: 'Once' });
    expect([created.status, retries]).toEqual([201, ['after 1']]);
    expect(twin.history.list('write').filter((entry) => entry.table === 'issues')).toHaveLength(1);
  });

  it('resolves review threads with GraphQL', async () => {
    const twin = await startTestTwin();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    await twin.as('alice').reviewComment(REPO, number, { path: 'a.txt', line: 1, body: 'hm' });
    const query = `query($owner: String!, $repo: String!, $number: Int!) { repository(owner: $owner, name: $repo) {
      pullRequest(number: $number) { reviewThreads(first: 5) { nodes { isResolved isOutdated } } } } }`;
    const answer = await connect(twin).graphql(query, { owner, repo, number });
    expect(at(answer, 'repository', 'pullRequest', 'reviewThreads', 'nodes')).toEqual([
      { isResolved: false, isOutdated: false },
    ]);
  });
});
