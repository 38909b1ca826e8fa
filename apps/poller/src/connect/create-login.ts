import { type AppKeyPaths, findToken, readAppKeys, type Settings } from '@mergexo/config';
import { type AppLogin, type Connection, createAppLogin, type GitHub, type Viewer } from '@mergexo/github';

/** The account as which the poller reads and writes on GitHub: a person's login, or a GitHub App. */
export type Login = {
  /** Provides the token for each request, because its source may return a new token later. */
  auth: Pick<Connection, 'token' | 'onRejected'>;
  /** Checks without a request to GitHub whether there are credentials. Throws a `Failure` if there are none. */
  check(): Promise<unknown>;
  /** Call this after GitHub rejects the token. */
  renew(): void;
  identify(github: Pick<GitHub, 'fetchViewer'>): Promise<Viewer>;
  /** Undefined for a person's login. */
  app: AppLogin | undefined;
};

type LoginSettings = Pick<Settings, 'config' | 'githubToken' | 'childEnv' | 'redact' | 'proxy'>;

const monotonicNow = (): number => performance.now();
const now = (): number => Date.now();

export function createLogin(settings: LoginSettings): Login {
  const { app } = settings.config.github;
  return app === undefined ? createPersonLogin(settings) : createBotLogin(settings, app);
}

/** Fetches the account again only when the token changes. */
function createPersonLogin(settings: LoginSettings): Login {
  const ask = findToken(settings, monotonicNow);
  let token = '';
  let known: { viewer: Viewer; token: string } | undefined;
  const find = async (): Promise<string> => {
    token = await ask();
    return token;
  };
  return {
    auth: { token: find },
    check: find,
    renew: () => ask.renew(),
    async identify(github) {
      if (known === undefined || known.token !== token) {
        const viewer = await github.fetchViewer();
        known = { viewer, token };
      }
      return known.viewer;
    },
    app: undefined,
  };
}

/** Logs in as a GitHub App. The first repository's token also serves requests that concern no repository. */
export function createBotLogin(settings: LoginSettings, keys: AppKeyPaths & { clientId: string }): Login {
  const { config, redact, proxy } = settings;
  const repos = config.repos.map(({ fullName }) => fullName);
  const readKeys = (): readonly string[] => {
    const found = readAppKeys(keys);
    redact.learn(found);
    return found;
  };
  const app = createAppLogin({
    apiUrl: config.github.apiUrl,
    clientId: keys.clientId,
    readKeys,
    userAgent: 'mergexo',
    proxy,
    now,
    monotonicNow,
    onToken: (token) => redact.learnTokens([token]),
  });
  return {
    auth: { token: (repo = repos[0] ?? '') => app.token(repo), onRejected: app.onRejected },
    check: async () => readKeys(),
    renew: () => {},
    identify: () => app.identify(repos),
    app,
  };
}
