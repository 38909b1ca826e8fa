import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import type { GitHub } from './create-github.js';
import { aGitHubClient, aSeed, NO_RATE_LIMITS, OTHER_REPO, REPO } from './testing/a-github-client.js';

const RERUN = 'POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs';
const LOGS = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs';

describe('the client for workflow runs, jobs and logs', () => {
  let twin: Twin;
  let github: GitHub;
  let sha: string;
  beforeEach(async () => {
    twin = await startTwin({
      seed: aSeed({ repos: [REPO, OTHER_REPO] }),
      clock: createManualClock(),
      limits: NO_RATE_LIMITS,
    });
    github = aGitHubClient(twin, { apiVersion: '2026-03-10' });
    sha = await alice().pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  const alice = () => twin.as('alice');
  const counted = () => twin.control.ledger('robot').counted;
  const start = (...jobs: string[]) =>
    twin.actions.start(REPO, {
      branch: 'topic',
      by: 'alice',
      ...(jobs.length > 0 && { jobs: jobs.map((name) => ({ name, log: '' })) }),
    });
  const fail = (log: string) => {
    const run = start('test');
    twin.actions.finish(run, 'failure', { log });
    return run;
  };
  const jobOf = async (run: number) => (await github.fetchFailedJobs(REPO, run))[0]?.id ?? 0;
  const readFeed = async (etag: string | null) => {
    const feed = await github.fetchActionsRunsFeed(REPO, { etag });
    if (feed.kind !== 'changed') throw new Error('the response is unchanged');
    return feed;
  };

  it('returns runs with their outcome, and uses no rate limit quota while no run changes', async () => {
    const id = start();
    const { rows, etag } = await readFeed(null);
    expect(rows).toEqual([
      {
        id,
        name: 'CI',
        headSha: sha,
        headRepoId: expect.any(Number),
        event: 'push',
        status: 'queued',
        conclusion: null,
        attempt: 1,
        url: expect.stringContaining(`/actions/runs/${id}`),
        updatedAt: expect.any(String),
      },
    ]);
    const before = counted();
    await alice().openPull(REPO, { title: 'T', head: 'topic' });
    expect(await github.fetchActionsRunsFeed(REPO, { etag })).toEqual({ kind: 'unchanged' });
    expect(counted()).toBe(before);
    twin.actions.finish(id, 'failure');
    expect((await readFeed(etag)).rows).toMatchObject([{ id, status: 'completed', conclusion: 'failure' }]);
  });

  it('reads one page with the newest runs', async () => {
    const ids = Array.from({ length: 101 }, () => start());
    const before = counted();
    expect((await readFeed(null)).rows.map(({ id }) => id)).toEqual(ids.slice(1).reverse());
    expect(counted() - before).toBe(1);
  });

  it('distinguishes a deleted run from an invisible repository', async () => {
    const id = start();
    expect(await github.fetchActionsRun(REPO, id)).toEqual((await readFeed(null)).rows[0]);
    expect(await github.fetchActionsRun(REPO, 999_999)).toBeNull();
    expect(await github.fetchFailedJobs(REPO, 999_999)).toEqual([]);
    twin.control.setPermission(REPO, 'robot', null);
    for (const reading of [github.fetchActionsRun(REPO, id), github.fetchFailedJobs(REPO, id)])
      await expect(reading).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('lists the failed jobs of the latest attempt or of an earlier one', async () => {
    const run = start('test', 'lint', 'slow', 'stopped', 'skipped');
    const outcomes = {
      test: 'failure',
      lint: 'success',
      slow: 'timed_out',
      stopped: 'cancelled',
      skipped: 'skipped',
    } as const;
    for (const job of ['test', 'lint', 'slow', 'stopped', 'skipped'] as const)
      twin.actions.finish(run, outcomes[job], { job });
    const failed = await github.fetchFailedJobs(REPO, run);
    expect(failed).toEqual([
      {
        id: expect.any(Number),
        name: 'test',
        conclusion: 'failure',
        url: expect.stringContaining('/job/'),
        failedSteps: ['Run test'],
      },
      {
        id: expect.any(Number),
        name: 'slow',
        conclusion: 'timed_out',
        url: expect.any(String),
        failedSteps: ['Run slow'],
      },
    ]);
    await github.rerunFailedJobs(REPO, run);
    twin.actions.finish(run, 'success');
    expect(await github.fetchFailedJobs(REPO, run)).toEqual([]);
    expect(await github.fetchFailedJobs(REPO, run, 1)).toEqual(failed);
    expect(await github.fetchFailedJobs(REPO, run, 7)).toEqual([]);
  });

  it('finds failed jobs on later pages', async () => {
    const names = Array.from({ length: 130 }, (_, index) => `job ${index + 1}`);
    const run = start(...names);
    for (const [index, job] of names.entries())
      twin.actions.finish(run, index < 105 ? 'success' : 'failure', { job });
    const failed = await github.fetchFailedJobs(REPO, run);
    expect(failed.map(({ name }) => name)).toEqual(names.slice(105));
  });

  it('reads the end of a log', async () => {
    const job = await jobOf(fail('first line\nÄrger: it broke\n'));
    expect(await github.fetchJobLogTail(REPO, job, 1_000)).toEqual({
      text: 'first line\nÄrger: it broke\n',
      isCut: false,
    });
    expect(await github.fetchJobLogTail(REPO, job, 9)).toEqual({ text: 'it broke\n', isCut: true });
  });

  it('returns null for the log of a running or unknown job, and for an expired log', async () => {
    const running = start('test');
    const [check] = twin.world.store.jobs.filter(({ runId }) => runId === running);
    expect(await github.fetchJobLogTail(REPO, check?.id ?? 0, 100)).toBeNull();
    expect(await github.fetchJobLogTail(REPO, 999_999, 100)).toBeNull();
    const job = await jobOf(fail('text'));
    twin.control.fault({ kind: 'error', status: 410, route: LOGS });
    expect(await github.fetchJobLogTail(REPO, job, 100)).toBeNull();
    expect(await github.fetchJobLogTail(REPO, job, 100)).toMatchObject({ text: 'text' });
    twin.control.setPermission(REPO, 'robot', null);
    await expect(github.fetchJobLogTail(REPO, job, 100)).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('fetches a log from another host without our token', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const store = createServer((request, response) => {
      seen.push(request.headers);
      response.end('kept elsewhere');
    });
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
    const address = store.address();
    const job = await jobOf(fail('text'));
    twin.world.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    try {
      expect(await github.fetchJobLogTail(REPO, job, 100)).toMatchObject({ text: 'kept elsewhere' });
    } finally {
      twin.world.url = twin.url;
      store.closeAllConnections();
      await new Promise((resolve) => store.close(resolve));
    }
    expect(seen).toHaveLength(1);
    expect(seen[0]).not.toHaveProperty('authorization');
    expect(JSON.stringify(seen)).not.toContain(twin.tokens['robot']);
  });

  it('reruns failed jobs as a new attempt of the same run', async () => {
    const run = fail('text');
    await github.rerunFailedJobs(REPO, run);
    expect(await github.fetchActionsRun(REPO, run)).toMatchObject({ attempt: 2, status: 'queued' });
    await expect(github.rerunFailedJobs(REPO, run)).rejects.toMatchObject({ kind: 'unauthorized' });
    await expect(github.rerunFailedJobs(REPO, 999_999)).rejects.toMatchObject({ kind: 'not-found' });
  });

  it.each([
    ['an error', { kind: 'error', when: 'after', status: 502 }],
    ['a dropped connection', { kind: 'drop', when: 'after' }],
    ['a truncated answer', { kind: 'truncated' }],
    ['an HTML page', { kind: 'html', when: 'after', status: 200 }],
  ] as const)('sends a rerun once and reports an unknown outcome after %s', async (_name, fault) => {
    const run = fail('text');
    const armed = twin.control.fault({ ...fault, route: RERUN });
    await expect(github.rerunFailedJobs(REPO, run)).rejects.toMatchObject({ kind: 'unknown-outcome' });
    expect(armed.hits()).toBe(1);
    expect(await github.fetchActionsRun(REPO, run)).toMatchObject({ attempt: 2 });
  });

  it('refuses a rerun in a repository that is not configured', async () => {
    await alice().pushFiles(OTHER_REPO, 'topic', { 'a.txt': 'a\n' });
    const run = twin.actions.start(OTHER_REPO, { branch: 'topic', by: 'alice' });
    twin.actions.finish(run, 'failure');
    await expect(github.rerunFailedJobs(OTHER_REPO, run)).rejects.toThrow(/not configured/);
    expect(await github.fetchActionsRun(OTHER_REPO, run)).toMatchObject({ attempt: 1 });
  });
});
