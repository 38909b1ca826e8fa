import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import { type AppLogin, createAppLogin } from '../app/create-app-login.js';
import { createGitHub, type GitHub } from '../create-github.js';
import { aConnection, aSeed, OTHER_REPO, REPO } from './a-github-client.js';

export const PERMISSIONS = {
  issues: 'write',
  pull_requests: 'write',
  contents: 'write',
  statuses: 'write',
  checks: 'write',
  actions: 'write',
} as const;

type AppControl = ReturnType<Twin['app']>;

export type AppScene = {
  twin: Twin;
  app: AppControl;
  /** The account on which the App is installed. */
  account: string;
  login: AppLogin;
  github: GitHub;
  clock: ReturnType<typeof createManualClock>;
  /** Tokens that the redactor was told. */
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
export async function startAppScene({
  tokenSeconds = 3_600,
}: {
  tokenSeconds?: number;
} = {}): Promise<AppScene> {
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
