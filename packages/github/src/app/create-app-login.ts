import type { ProxySettings } from '@mergexo/core/basics';
import { z } from 'zod';
import { checkAnswer } from '../http/check-answer.js';
import { createFetch } from '../http/create-fetch.js';
import { Viewer } from '../models/issue-models.js';
import { type AppIdentity, createAskAsApp, explainAnswer } from './ask-as-app.js';
import { createInstallations, type NewToken } from './installations.js';

export type AppLogin = ReturnType<typeof createAppLogin>;

type AppLoginOptions = Omit<AppIdentity, 'fetch'> & {
  proxy?: ProxySettings;
  monotonicNow: () => number;
  /** Called with each new token, and with each token that is used again. */
  onToken: (token: string) => void;
};

/** A token is replaced while this much of its life is left, or a sixth of its life, whichever is less. */
const MAX_MARGIN_MS = 600_000;
/** GitHub's servers may reject a token for some seconds after its creation. */
const SETTLING_MS = 5_000;
const RETRY_PAUSE_MS = 500;

const App = z.object({ slug: z.string().min(1) });

const Permissions = z.record(z.string(), z.string());
const Registration = z.object({
  slug: z.string(),
  html_url: z.string(),
  owner: z.object({ login: z.string(), type: z.string() }),
  permissions: Permissions,
  events: z.array(z.string()),
});
const Grant = z.object({ html_url: z.string(), permissions: Permissions, events: z.array(z.string()) });

/** `app`: what the App asks for. `installation`: what counts for one repository. */
export type AppAccess = { app: z.infer<typeof Registration>; installation: z.infer<typeof Grant> };

type Kept = { token: string; mintedAt: number; replaceAt: number };

/**
 * Logs in as a GitHub App. Keeps one token per installation and replaces it in time. Unlike `@octokit/auth-app`, it
 * obeys the expiry that GitHub reports, corrects the clock, and never mixes servers.
 */
export function createAppLogin(options: AppLoginOptions) {
  const { monotonicNow, now, onToken, proxy } = options;
  const ask = createAskAsApp({ ...options, fetch: createFetch(proxy) });
  const installations = createInstallations({ ask, now });
  const kept = new Map<number, Kept>();
  const minting = new Map<number, Promise<Kept>>();
  let viewer: Viewer | undefined;

  const replace = async (repo: string, installation: number): Promise<Kept> => {
    const minted = await installations.mint(repo);
    onToken(minted.token);
    const next = keep(minted, monotonicNow());
    kept.set(installation, next);
    return next;
  };

  /** Returns the token for the repository's installation. Concurrent calls share one request. */
  const token = async (repo: string): Promise<string> => {
    const installation = await installations.find(repo);
    const current = kept.get(installation);
    if (current !== undefined && monotonicNow() < current.replaceAt) {
      onToken(current.token);
      return current.token;
    }
    const pending =
      minting.get(installation) ?? replace(repo, installation).finally(() => minting.delete(installation));
    minting.set(installation, pending);
    return (await pending).token;
  };

  const get = async (path: string, withToken?: string): Promise<unknown> => {
    const answer = await ask({ method: 'GET', path, ...(withToken !== undefined && { token: withToken }) });
    if (answer.status !== 200) throw explainAnswer(answer, `GET ${path}`, now());
    return answer.data;
  };

  const fetchApp = async (): Promise<AppAccess['app']> =>
    checkAnswer(Registration, await get('/app'), { what: 'GET /app', otherwise: 'invalid-data' });

  return {
    token,
    fetchApp,

    /**
     * Call this if GitHub rejected a token. Returns the pause after which to repeat the request: a new token may need
     * some seconds, and an old one is replaced.
     */
    onRejected(rejected: string): number {
      for (const [installation, { token: known, mintedAt }] of kept) {
        if (known !== rejected) continue;
        if (monotonicNow() - mintedAt < SETTLING_MS) return RETRY_PAUSE_MS;
        kept.delete(installation);
      }
      return 0;
    },

    /**
     * Returns the account that posts for the App: a bot, whose user id is not the App's id. Asks GitHub once, with the
     * token of the first repository that has one.
     */
    async identify(repos: readonly string[]): Promise<Viewer> {
      if (viewer !== undefined) return viewer;
      const about = { what: 'GET /app', otherwise: 'invalid-data' } as const;
      const { slug } = checkAnswer(App, await get('/app'), about);
      const path = `/users/${encodeURIComponent(`${slug}[bot]`)}`;
      const data = await get(path, await findToken(repos, token));
      viewer = checkAnswer(Viewer, data, { what: `GET ${path}`, otherwise: 'invalid-data' });
      return viewer;
    },

    /** Reads what the App asks for, and what the owner of the repository granted. */
    async describe(repo: string): Promise<AppAccess> {
      const path = `/repos/${repo}/installation`;
      const installation = await get(path);
      return {
        app: await fetchApp(),
        installation: checkAnswer(Grant, installation, { what: `GET ${path}`, otherwise: 'invalid-data' }),
      };
    },

    /** Creates a token that can only change the contents of one repository. The caller revokes it. */
    async mintForWorker(repo: string, { workflows }: { workflows: boolean }): Promise<NewToken> {
      const permissions = { contents: 'write', ...(workflows && { workflows: 'write' as const }) } as const;
      const minted = await installations.mint(repo, {
        repositories: [repo.split('/')[1] ?? ''],
        permissions,
      });
      onToken(minted.token);
      return minted;
    },

    /** Revokes a token. Succeeds if the token is already invalid. */
    async revoke(revoked: string): Promise<void> {
      const answer = await ask({ method: 'DELETE', path: '/installation/token', token: revoked });
      if (answer.status !== 204 && answer.status !== 401)
        throw explainAnswer(answer, 'DELETE /installation/token', now());
    },
  };
}

function keep({ token, lifetimeMs }: NewToken, mintedAt: number): Kept {
  const margin = Math.min(MAX_MARGIN_MS, lifetimeMs / 6);
  return { token, mintedAt, replaceAt: mintedAt + lifetimeMs - margin };
}

/** Returns the token of the first repository whose installation works. Throws the first failure if none does. */
async function findToken(
  repos: readonly string[],
  token: (repo: string) => Promise<string>,
): Promise<string> {
  let first: unknown;
  for (const repo of repos) {
    try {
      return await token(repo);
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}
