import { Failure } from '@mergexo/core/basics';
import { createManualClock, startTwin } from '@mergexo/github-twin';
import type { GitHub } from '../create-github.js';
import { aGitHubClient, aSeed, REPO } from '../testing/a-github-client.js';
import { createApiVersion } from './api-version.js';

type Twin = Awaited<ReturnType<typeof startTwin>>;

const refusal = (status: number) =>
  new Failure('not-found', 'no', { cause: Object.assign(new Error('no'), { status, response: {} }) });

describe('the choice of an API version', () => {
  const choose = (answer: unknown) =>
    createApiVersion(
      async () => answer,
      () => 0,
    ).choose();

  it.each([
    ['the newest common version', ['2022-11-28', '2026-03-10'], '2026-03-10'],
    ['the newest common version, in any order', ['2030-01-01', '2026-03-10', '2022-11-28'], '2026-03-10'],
    ['the only version of an older server', ['2022-11-28'], '2022-11-28'],
    ['the oldest version without a list', '<html>', '2022-11-28'],
  ])('is %s', async (_name, list, version) => {
    expect(await choose(list)).toBe(version);
  });

  it('fails and asks for an update if MergeXO and the host have no version in common', async () => {
    await expect(choose(['2031-01-01'])).rejects.toThrow('only the API versions 2031-01-01');
  });

  it('is the oldest version on a server without the list, but is not made during an outage', async () => {
    const failures = [refusal(404), new Failure('unavailable', 'GitHub is down')];
    const asked = createApiVersion(
      async () => {
        throw failures.pop();
      },
      () => 0,
    );
    await expect(asked.choose()).rejects.toThrow('GitHub is down');
    expect(await asked.choose()).toBe('2022-11-28');
  });

  it('is repeated after 10 minutes if the host refused to list its versions, but not if it has no list', async () => {
    let now = 0;
    let asked = 0;
    const after = async (failure: Failure) => {
      asked = 0;
      const version = createApiVersion(
        async () => {
          asked += 1;
          throw failure;
        },
        () => now,
      );
      for (now = 0; now <= 1_200_000; now += 200_000) expect(await version.choose()).toBe('2022-11-28');
      return asked;
    };
    const cause = { cause: Object.assign(new Error('no'), { status: 403, response: {} }) };
    expect(await after(new Failure('unauthorized', 'suspended', cause))).toBe(2);
    expect(await after(refusal(404))).toBe(1);
  });

  it('is made once, and again at most every 10 minutes if the host refuses a request, possibly for its version', async () => {
    let now = 0;
    const lists = [['2022-11-28'], ['2022-11-28'], ['2026-03-10']];
    const asked = createApiVersion(
      async () => lists.shift(),
      () => now,
    );
    await Promise.all([asked.choose(), asked.choose()]);
    now = 599_999;
    expect(await asked.isOutdated(refusal(410), { used: '2022-11-28' })).toBe(false);
    expect(lists).toHaveLength(2);
    now = 600_000;
    expect(await asked.isOutdated(refusal(404), { used: '2022-11-28' })).toBe(false);
    expect(lists).toHaveLength(2);
    expect(await asked.isOutdated(refusal(410), { used: '2022-11-28' })).toBe(false);
    expect(lists).toHaveLength(1);
    now = 1_200_000;
    const refused = [1, 2].map(() => asked.isOutdated(refusal(400), { used: '2022-11-28' }));
    expect(await Promise.all(refused)).toEqual([true, true]);
    expect(lists).toEqual([]);
  });
});

describe('a client', () => {
  let twin: Twin;
  const start = async (options: Parameters<typeof startTwin>[0] = {}): Promise<GitHub> => {
    twin = await startTwin({ seed: aSeed(), clock: createManualClock('2026-11-01T00:00:00Z'), ...options });
    return aGitHubClient(twin);
  };
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });
  const listAsked = () => twin.history.list('request').map(({ method, path }) => `${method} ${path}`);

  it('asks the host for its versions once, before its first request', async () => {
    const github = await start();
    await Promise.all([github.fetchViewer(), github.fetchRepository(REPO)]);
    await github.fetchViewer();
    expect(listAsked().filter((request) => request === 'GET /versions')).toHaveLength(1);
    expect(listAsked()[0]).toBe('GET /versions');
  });

  it.each([
    [undefined, null],
    ['3.21.0', null],
    ['3.20.4', expect.stringMatching(/^[0-9a-f]{40}$/)],
  ])('reads the merge commit from a server %s without merge_commit_sha', async (enterpriseVersion, shown) => {
    const github = await start(enterpriseVersion === undefined ? {} : { enterpriseVersion });
    const alice = twin.as('alice');
    await alice.pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await alice.openPull(REPO, { title: 'T', head: 'topic' });
    const sha = await alice.merge(REPO, number);
    const pull = await github.fetchPull(REPO, number);
    expect(pull).toMatchObject({ status: 'merged', mergeCommitSha: shown });
    expect(await github.fetchMergeCommit(REPO, pull)).toBe(sha);
    expect(listAsked().filter((request) => request === 'POST /graphql')).toHaveLength(shown === null ? 1 : 0);
  });

  it('fails if GitHub does not know the pull request, instead of returning no merge commit', async () => {
    const github = await start();
    const missing = github.fetchMergeCommit(REPO, { number: 99, mergeCommitSha: null });
    await expect(missing).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('repeats a read and a write with the next version when the host retires the current one', async () => {
    const github = await start({ enterpriseVersion: '3.20.4' });
    const number = await twin.as('alice').openIssue(REPO, { title: 'Broken' });
    expect((await github.fetchIssue(REPO, number)).open).toBe(true);
    twin.world.enterpriseVersion = '3.30.0';
    twin.control.advance(Date.parse('2028-03-10T00:00:00Z') - twin.world.clock.now());
    const [issue, posted] = await Promise.all([
      github.fetchIssue(REPO, number),
      github.postIssueComment(REPO, number, 'Hello'),
    ]);
    expect([issue.number, posted.id > 0]).toEqual([number, true]);
    expect(twin.history.list('request').filter(({ status }) => status === 410)).toHaveLength(2);
    expect((await github.fetchThread(REPO, number)).comments).toHaveLength(1);
  });

  it('does not log each response of a deprecated version', async () => {
    await start();
    const logged: string[] = [];
    const debug = (_fields: object, message: string) => logged.push(message);
    const log = { debug, info: debug, warn: debug, error: debug };
    const { warn } = console;
    console.warn = (message: string) => logged.push(message);
    try {
      await aGitHubClient(twin, { apiVersion: '2022-11-28', log }).fetchViewer();
    } finally {
      console.warn = warn;
    }
    expect(logged).toEqual([]);
  });
});
