import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import { z } from 'zod';
import type { GitHub } from './create-github.js';
import { aGitHubClient, aSeed, NO_RATE_LIMITS, OTHER_REPO, REPO } from './testing/a-github-client.js';

const Created = z.object({ id: z.number() });

describe('the client for checks and statuses of a commit', () => {
  let twin: Twin;
  let github: GitHub;
  let sha: string;
  beforeEach(async () => {
    twin = await startTwin({
      seed: aSeed({ writers: ['linter[bot]'] }),
      clock: createManualClock(),
      limits: NO_RATE_LIMITS,
    });
    github = aGitHubClient(twin);
    sha = await twin.as('alice').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  const counted = () => twin.control.ledger('robot').counted;
  const addCheck = async (name: string) => {
    const check = { name, head_sha: sha, status: 'in_progress' };
    return Created.parse(await twin.as('linter[bot]').request('POST', `/repos/${REPO}/check-runs`, check)).id;
  };
  const endCheck = (id: number, conclusion: string) =>
    twin.as('linter[bot]').request('PATCH', `/repos/${REPO}/check-runs/${id}`, { conclusion });
  /** Uses the branch name instead of the sha, so that the twin runs no git. Some tests post many statuses. */
  const say = (context: string, state: string, more: object = {}) =>
    twin.as('alice').request('POST', `/repos/${REPO}/statuses/topic`, { context, state, ...more });
  const readChecks = async (etag: string | null) => {
    const answer = await github.fetchCheckRuns(REPO, sha, etag);
    if (answer.kind !== 'changed') throw new Error('the response is unchanged');
    return answer;
  };
  const readStatuses = async (etag: string | null) => {
    const answer = await github.fetchCommitStatuses(REPO, sha, etag);
    if (answer.kind !== 'changed') throw new Error('the response is unchanged');
    return answer;
  };

  it('returns the annotations that report a failure, of an app’s check and of a job', async () => {
    const lint = await addCheck('lint');
    const place = { path: 'a.txt', start_line: 3, end_line: 4 };
    const failure = { ...place, annotation_level: 'failure', message: 'Missing line' } as const;
    const annotations = [{ ...failure, annotation_level: 'warning' as const }, failure];
    const output = { title: 'Lint', summary: 'Two remarks', annotations };
    const change = { conclusion: 'failure', output };
    await twin.as('linter[bot]').request('PATCH', `/repos/${REPO}/check-runs/${lint}`, change);
    const run = twin.actions.start(REPO, { branch: 'topic', by: 'alice' });
    twin.actions.finish(run, 'failure', { annotations });
    const [job] = await github.fetchFailedJobs(REPO, run);
    const expected = [{ path: 'a.txt', line: 3, level: 'failure', message: 'Missing line' }];
    expect(await github.fetchFailureAnnotations(REPO, lint)).toEqual(expected);
    expect(await github.fetchFailureAnnotations(REPO, job?.id ?? 0)).toEqual(expected);
    expect(await github.fetchFailureAnnotations(REPO, 999_999)).toEqual([]);
  });

  it('returns the state and the app of each check', async () => {
    const lint = await addCheck('lint');
    const run = twin.actions.start(REPO, { branch: 'topic', by: 'alice' });
    twin.actions.finish(run, 'failure');
    const { rows } = await readChecks(null);
    expect(rows.sort((a, b) => a.name.localeCompare(b.name))).toEqual([
      {
        id: lint,
        name: 'lint',
        status: 'in_progress',
        conclusion: null,
        url: expect.stringContaining(`/runs/${lint}`),
        externalId: '',
        appSlug: 'linter',
      },
      {
        id: expect.any(Number),
        name: 'test',
        status: 'completed',
        conclusion: 'failure',
        url: expect.any(String),
        externalId: '',
        appSlug: 'github-actions',
      },
    ]);
  });

  it('uses no rate limit quota while checks are unchanged, and returns each changed and each new check', async () => {
    const empty = await readChecks(null);
    expect(empty.rows).toEqual([]);
    const lint = await addCheck('lint');
    const { etag } = await readChecks(empty.etag);
    const before = counted();
    expect(await github.fetchCheckRuns(REPO, sha, etag)).toEqual({ kind: 'unchanged' });
    expect(counted()).toBe(before);
    await endCheck(lint, 'failure');
    expect((await readChecks(etag)).rows).toMatchObject([{ status: 'completed', conclusion: 'failure' }]);
  });

  it('uses no rate limit quota until a check on the second page changes, and then returns the check', async () => {
    const jobs = Array.from({ length: 105 }, (_, index) => ({ name: `job ${index + 1}`, log: '' }));
    const run = twin.actions.start(REPO, { branch: 'topic', by: 'alice', jobs });
    const { rows, etag } = await readChecks(null);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(105);
    const before = counted();
    expect(await github.fetchCheckRuns(REPO, sha, etag)).toEqual({ kind: 'unchanged' });
    expect(counted()).toBe(before);
    const last = rows.at(-1);
    twin.actions.finish(run, 'failure', { job: last?.name ?? '' });
    expect((await readChecks(etag)).rows.at(-1)).toEqual({
      ...last,
      status: 'completed',
      conclusion: 'failure',
    });
  });

  it('returns the latest state of each status', async () => {
    await say('build', 'pending');
    await say('build', 'failure', { description: 'it broke', target_url: 'https://ci.example.com/1' });
    await say('deploy', 'success');
    const { rows, etag } = await readStatuses(null);
    expect(rows).toEqual([
      {
        id: expect.any(Number),
        name: 'build',
        state: 'failure',
        description: 'it broke',
        url: 'https://ci.example.com/1',
      },
      { id: expect.any(Number), name: 'deploy', state: 'success', description: null, url: null },
    ]);
    const before = counted();
    expect(await github.fetchCommitStatuses(REPO, sha, etag)).toEqual({ kind: 'unchanged' });
    expect(counted()).toBe(before);
    await say('build', 'success');
    expect((await readStatuses(etag)).rows).toMatchObject([{ state: 'success' }, { state: 'success' }]);
  });

  it('returns a changed status from the second page', async () => {
    for (let i = 1; i <= 105; i += 1) await say(`status ${i}`, 'pending');
    const { rows, etag } = await readStatuses(null);
    expect(rows).toHaveLength(105);
    expect(await github.fetchCommitStatuses(REPO, sha, etag)).toEqual({ kind: 'unchanged' });
    await say('status 105', 'error');
    expect((await readStatuses(etag)).rows.at(-1)).toMatchObject({ name: 'status 105', state: 'error' });
  });

  const STATUS = { state: 'failure', context: 'mergexo/review', description: 'No', targetUrl: null } as const;

  it('posts a status that replaces the previous one with the same context', async () => {
    await github.postCommitStatus(REPO, sha, STATUS);
    const targetUrl = 'https://github.com/acme/app/pull/1';
    const { id } = await github.postCommitStatus(REPO, sha, { ...STATUS, state: 'success', targetUrl });
    expect((await readStatuses(null)).rows).toEqual([
      { id, name: 'mergexo/review', state: 'success', description: 'No', url: targetUrl },
    ]);
  });

  it.each([
    ['x'.repeat(140), 'x'.repeat(140)],
    ['x'.repeat(141), `${'x'.repeat(139)}…`],
    [`${'x'.repeat(138)}🙂🙂`, `${'x'.repeat(138)}…`],
    [`${'x'.repeat(137)}🙂🙂`, `${'x'.repeat(137)}🙂…`],
    ['', ''],
  ])('shortens a description only if GitHub would reject it', async (description, kept) => {
    await github.postCommitStatus(REPO, sha, { ...STATUS, description });
    expect((await readStatuses(null)).rows).toMatchObject([{ description: kept }]);
  });

  it('sends a status once, and reports an unknown outcome if no response arrives', async () => {
    const route = 'POST /repos/{owner}/{repo}/statuses/{sha}';
    const fault = twin.control.fault({ kind: 'drop', when: 'after', route });
    await expect(github.postCommitStatus(REPO, sha, STATUS)).rejects.toMatchObject({
      kind: 'unknown-outcome',
    });
    expect([fault.hits(), (await readStatuses(null)).rows.length]).toEqual([1, 1]);
  });

  it('posts no status to a repository that is not configured', async () => {
    await expect(github.postCommitStatus(OTHER_REPO, sha, STATUS)).rejects.toThrow(/not configured/);
  });

  it.each(['topic', 'abc123', `${'a'.repeat(40)}/../..`, ''])(
    'sends no request for %j, which is not a full sha',
    async (name) => {
      const before = twin.history.list('request').length;
      const refused = { kind: 'invalid-data' };
      await expect(github.fetchCheckRuns(REPO, name, null)).rejects.toMatchObject(refused);
      await expect(github.fetchCommitStatuses(REPO, name, null)).rejects.toMatchObject(refused);
      await expect(github.postCommitStatus(REPO, name, STATUS)).rejects.toMatchObject(refused);
      expect(twin.history.list('request')).toHaveLength(before);
    },
  );
});
