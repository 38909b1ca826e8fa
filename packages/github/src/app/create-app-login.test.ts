import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import { createGitHub, type GitHub } from '../create-github.js';
import { aConnection, aSeed, OTHER_REPO, REPO } from '../testing/a-github-client.js';
import { type AppLogin, createAppLogin } from './create-app-login.js';

const PERMISSIONS = {
  issues: 'write',
  pull_requests: 'write',
  contents: 'write',
  statuses: 'write',
  checks: 'write',
  actions: 'write',
} as const;

type AppControl = ReturnType<Twin['app']>;

type AppScene = {
  twin: Twin;
  app: AppControl;
  /** The account on which the App is installed. */
  account: string;
  login: AppLogin;
  github: GitHub;
  clock: ReturnType<typeof createManualClock>;
  /** Tokens that the redactor learned. */
  told: string[];
  /** Number of tokens that were created. */
  mints: () => number;
  /** Requests whose method and path match. */
  asked: (route: RegExp) => { status: number }[];
  /** Sets the difference between the client's clock and GitHub's. */
  skew: (ms: number) => void;
  setKeys: (pems: string[]) => void;
};

/** Starts a twin with an installed App, and logs in as this App. All times are those of the twin's manual clock. */
async function startAppScene({ tokenSeconds = 3_600 }: { tokenSeconds?: number } = {}): Promise<AppScene> {
  const clock = createManualClock();
  const account = REPO.split('/')[0] ?? '';
  const apps = [{ slug: 'mergexo', owner: account, permissions: PERMISSIONS, installations: [{ account }] }];
  const twin: Twin = await startTwin({
    seed: { ...aSeed({ repos: [REPO, OTHER_REPO] }), apps },
    clock,
    quirks: { installationTokenSeconds: tokenSeconds },
  });
  const app = twin.app('mergexo');
  const told: string[] = [];
  let skewMs = 0;
  let keys = app.keys().map(({ pem }) => pem);
  const login: AppLogin = createAppLogin({
    apiUrl: twin.apiUrl,
    clientId: app.clientId,
    readKeys: () => keys,
    userAgent: 'test',
    now: () => clock.now() + skewMs,
    monotonicNow: () => clock.now(),
    onToken: (token) => told.push(token),
  });
  const github: GitHub = createGitHub(
    aConnection({
      apiUrl: twin.apiUrl,
      token: (repo = REPO) => login.token(repo),
      // The pauses pass on the twin's clock.
      onRejected: (token) => {
        clock.advance(login.onRejected(token));
        return 0;
      },
      now: () => clock.now(),
    }),
  );
  const asked = (path: RegExp) =>
    twin.history.list('request').filter((entry) => path.test(`${entry.method} ${entry.path}`));
  return {
    twin,
    app,
    account,
    login,
    github,
    clock,
    told,
    mints: () => asked(/^POST .*access_tokens$/).length,
    asked,
    skew: (ms: number) => {
      skewMs = ms;
    },
    setKeys: (pems: string[]) => {
      keys = pems;
    },
  };
}

const MINUTE = 60_000;

describe('createAppLogin', () => {
  let scene: AppScene;
  afterEach(async () => {
    expect(scene.twin.control.violations()).toEqual([]);
    await scene.twin.stop();
  });

  it('keeps one token, replaces it ten minutes before it expires, and passes each token to the redactor', async () => {
    scene = await startAppScene();
    const first = await Promise.all([1, 2, 3].map(() => scene.login.token(REPO)));
    expect(new Set(first).size).toBe(1);
    scene.clock.advance(49 * MINUTE);
    expect(await scene.login.token(REPO)).toBe(first[0]);
    expect(scene.mints()).toBe(1);
    scene.clock.advance(2 * MINUTE);
    const second = await scene.login.token(REPO);
    expect(second).not.toBe(first[0]);
    expect(scene.mints()).toBe(2);
    expect(new Set(scene.told)).toEqual(new Set([first[0], second]));
  });

  it('uses a token that lives 60 s for most of its life', async () => {
    scene = await startAppScene({ tokenSeconds: 60 });
    const first = await scene.login.token(REPO);
    scene.clock.advance(49_000);
    expect(await scene.login.token(REPO)).toBe(first);
    scene.clock.advance(2_000);
    expect(await scene.login.token(REPO)).not.toBe(first);
  });

  it.each([
    ['ahead', 10 * MINUTE],
    ['behind', -11 * MINUTE],
  ])('logs in with a clock that is far %s, and computes the life of tokens correctly', async (_where, ms) => {
    scene = await startAppScene();
    scene.skew(ms);
    const first = await scene.login.token(REPO);
    scene.clock.advance(49 * MINUTE);
    expect(await scene.login.token(REPO)).toBe(first);
    scene.clock.advance(2 * MINUTE);
    expect(await scene.login.token(REPO)).not.toBe(first);
    // Only the first request used the wrong time.
    expect(scene.asked(/./).filter(({ status }) => status === 401)).toHaveLength(1);
  });

  it('uses the second key if GitHub rejects the first one', async () => {
    scene = await startAppScene();
    const [old] = scene.app.keys();
    const next = scene.app.addKey();
    scene.setKeys([next.pem, old?.pem ?? '']);
    scene.app.removeKey(next.id);
    expect(await scene.login.token(REPO)).toMatch(/^ghs_/);
    const renewed = scene.app.addKey();
    scene.app.removeKey(old?.id ?? 0);
    scene.setKeys([renewed.pem, old?.pem ?? '']);
    scene.clock.advance(60 * MINUTE);
    await scene.github.fetchRepository(REPO);
  });

  it.each<[string, (scene: AppScene) => void, RegExp, (scene: AppScene) => unknown]>([
    [
      'is suspended',
      ({ app, account }) => app.suspend(account),
      /installation of the GitHub App on .* is suspended/,
      ({ app, account }) => app.unsuspend(account),
    ],
    [
      'is uninstalled',
      ({ app, account }) => app.uninstall(account),
      /is not installed on/,
      ({ app, account }) => app.install(account),
    ],
    [
      'lacks the repository',
      ({ app, account }) => app.selectRepositories(account, [OTHER_REPO]),
      // The token still works for the other repository, so GitHub answers as for any invisible repository.
      /404 Not Found/,
      ({ app, account }) => app.selectRepositories(account),
    ],
    [
      'has no valid key',
      ({ app, account }) => {
        for (const { id } of app.keys()) app.removeKey(id);
        app.suspend(account);
        app.unsuspend(account);
      },
      /rejects the client id or the private key/,
      ({ app, setKeys }) => setKeys([app.addKey().pem]),
    ],
  ])(
    'explains why there is no access if the App %s, and continues afterwards',
    async (_what, break_, why, fix) => {
      scene = await startAppScene();
      await scene.github.fetchRepository(REPO);
      break_(scene);
      const refused = await scene.github.fetchIssue(REPO, 1).catch((error: unknown) => error);
      expect(refused).toMatchObject({ message: expect.stringMatching(why) });
      fix(scene);
      scene.clock.advance(1_000);
      expect(await scene.github.fetchRepository(REPO)).toMatchObject({ fullName: REPO });
    },
  );

  it('is never "not found" without an installation, because that would mean a deleted issue', async () => {
    scene = await startAppScene();
    scene.app.uninstall(scene.account);
    await expect(scene.login.token(REPO)).rejects.toMatchObject({ kind: 'unauthorized' });
  });

  it('repeats a request while GitHub does not know the new token yet, and posts once', async () => {
    scene = await startAppScene();
    const number = await scene.twin.as('alice').openIssue(REPO, { title: 'x', body: 'x' });
    scene.twin.control.fault({ kind: 'token-lag', seconds: 3 });
    await scene.github.postIssueComment(REPO, number, 'hello');
    const { comments } = await scene.github.fetchThread(REPO, number);
    expect(comments.map(({ author }) => author)).toEqual([
      { id: scene.app.botId, login: 'mergexo[bot]', type: 'Bot' },
    ]);
    expect(scene.mints()).toBe(1);
  });

  it('gives up if GitHub rejects every token', async () => {
    scene = await startAppScene();
    scene.twin.control.fault({ kind: 'expired-token', route: 'GET /repos/{owner}/{repo}', times: null });
    await expect(scene.github.fetchRepository(REPO)).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(scene.mints()).toBeLessThan(4);
  });

  it('replaces a token that became invalid early, without a failure', async () => {
    scene = await startAppScene();
    await scene.github.fetchRepository(REPO);
    scene.clock.advance(MINUTE);
    scene.app.suspend(scene.account);
    scene.app.unsuspend(scene.account);
    expect(await scene.github.fetchRepository(REPO)).toMatchObject({ fullName: REPO });
    expect(scene.mints()).toBe(2);
  });

  it('identifies itself with one request, as the bot, whose id is not the App’s', async () => {
    scene = await startAppScene();
    const viewer = await scene.login.identify([REPO]);
    scene.clock.advance(120 * MINUTE);
    expect(await scene.login.identify([REPO])).toBe(viewer);
    expect(viewer).toEqual({ id: scene.app.botId, login: 'mergexo[bot]', type: 'Bot' });
    expect(scene.app.botId).not.toBe(scene.app.id);
    expect(scene.asked(/GET \/(app|users)/)).toHaveLength(2);
  });

  it('gives a worker a token for one repository, and revokes it', async () => {
    scene = await startAppScene();
    const { token, lifetimeMs } = await scene.login.mintForWorker(REPO, { workflows: false });
    expect(lifetimeMs).toBe(60 * MINUTE);
    const ask = async (path: string) => {
      const headers = { authorization: `token ${token}` };
      return (await fetch(`${scene.twin.apiUrl}${path}`, { headers })).status;
    };
    expect(await ask(`/repos/${REPO}`)).toBe(200);
    const granted = scene.twin.world.store.tokens.find(({ secret }) => secret === token)?.installation;
    expect(granted?.permissions).toEqual({ contents: 'write', metadata: 'read' });
    expect(await ask(`/repos/${OTHER_REPO}/contents/README.md`)).toBe(404);
    await scene.login.revoke(token);
    expect(await ask(`/repos/${REPO}`)).toBe(401);
    await scene.login.revoke(token);
  });
});
