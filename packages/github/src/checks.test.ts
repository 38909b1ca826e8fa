import { silentLog } from '@mergexo/core/basics';
import { createManualClock, GITHUB_LIMITS, startTwin, type Twin } from '@mergexo/github-twin';
import { z } from 'zod';
import { createGitHub, type GitHub } from './create-github.js';

const REPO = 'acme/app';
const PLENTY = 1_000_000;
const Created = z.object({ id: z.number() });

describe('checks and statuses of a commit', () => {
  let twin: Twin;
  let github: GitHub;
  let sha: string;
  beforeEach(async () => {
    const clock = createManualClock();
    twin = await startTwin({
      seed: {
        users: [
          { login: 'acme', type: 'Organization' },
          { login: 'alice' },
          { login: 'robot' },
          { login: 'linter[bot]' },
        ],
        repos: [
          {
            name: REPO,
            permissions: { alice: 'admin', robot: 'write', 'linter[bot]': 'write' },
            files: { 'README.md': 'hi\n' },
          },
        ],
      },
      clock,
      limits: { ...GITHUB_LIMITS, contentPerMinute: PLENTY, contentPerHour: PLENTY, pointsPerMinute: PLENTY },
    });
    github = createGitHub({
      apiUrl: twin.apiUrl,
      token: async () => twin.tokens['robot'] ?? '',
      writable: [REPO],
      userAgent: 'mergexo-test',
      throttled: false,
      now: () => clock.now(),
      log: silentLog,
    });
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
  /** By the branch, which the twin finds without asking git: some tests say a lot. */
  const say = (context: string, state: string, more: object = {}) =>
    twin.as('alice').request('POST', `/repos/${REPO}/statuses/topic`, { context, state, ...more });
  const readChecks = async (etag: string | null) => {
    const answer = await github.fetchCheckRuns(REPO, sha, etag);
    if (answer.kind !== 'changed') throw new Error('nothing came');
    return answer;
  };
  const readStatuses = async (etag: string | null) => {
    const answer = await github.fetchCommitStatuses(REPO, sha, etag);
    if (answer.kind !== 'changed') throw new Error('nothing came');
    return answer;
  };

  it('says of each check how far it is and whose it is', async () => {
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
        appSlug: 'linter',
      },
      {
        id: expect.any(Number),
        name: 'test',
        status: 'completed',
        conclusion: 'failure',
        url: expect.any(String),
        appSlug: 'github-actions',
      },
    ]);
  });

  it('costs nothing while checks stay as they are, and sees each change and each new one', async () => {
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

  it('sees a check on the second page change, and costs nothing until then', async () => {
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

  it('hears the last word of each status', async () => {
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

  it('sees a status on the second page change', async () => {
    for (let i = 1; i <= 105; i += 1) await say(`status ${i}`, 'pending');
    const { rows, etag } = await readStatuses(null);
    expect(rows).toHaveLength(105);
    expect(await github.fetchCommitStatuses(REPO, sha, etag)).toEqual({ kind: 'unchanged' });
    await say('status 105', 'error');
    expect((await readStatuses(etag)).rows.at(-1)).toMatchObject({ name: 'status 105', state: 'error' });
  });

  const STATUS = { state: 'failure', context: 'mergexo/review', description: 'No', targetUrl: null } as const;

  it('posts a status, which the next one of the same name replaces', async () => {
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
  ])('cuts a description that GitHub would refuse', async (description, kept) => {
    await github.postCommitStatus(REPO, sha, { ...STATUS, description });
    expect((await readStatuses(null)).rows).toMatchObject([{ description: kept }]);
  });

  it('sends a status once and calls its outcome unknown when no answer comes', async () => {
    const route = 'POST /repos/{owner}/{repo}/statuses/{sha}';
    const fault = twin.control.fault({ kind: 'drop', when: 'after', route });
    await expect(github.postCommitStatus(REPO, sha, STATUS)).rejects.toMatchObject({
      kind: 'unknown-outcome',
    });
    expect([fault.hits(), (await readStatuses(null)).rows.length]).toEqual([1, 1]);
  });

  it('posts no status to a repository that is not configured', async () => {
    await expect(github.postCommitStatus('acme/other', sha, STATUS)).rejects.toThrow(/not configured/);
  });

  it.each(['topic', 'abc123', `${'a'.repeat(40)}/../..`, ''])(
    'asks nothing about %j, which is no full sha',
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
