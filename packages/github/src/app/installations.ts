import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import { checkAnswer } from '../http/check-answer.js';
import { type AppAnswer, type AskAsApp, explainAnswer } from './ask-as-app.js';

const Installation = z.object({ id: z.int() });
const Minted = z.object({ token: z.string().min(1), expires_at: z.string() });

/** The lifetime of every token on github.com. Used if GitHub sends no valid expiry. */
const HOUR_MS = 3_600_000;
/**
 * Minimum lifetime to assume. If GitHub sent a wrong expiry, MergeXO would otherwise request a new token before every
 * request.
 */
const MIN_LIFETIME_MS = 10_000;

export type NewToken = { token: string; lifetimeMs: number };

/** What a token may do, and where. Absent: everything that the owner granted. */
export type TokenScope = { repositories: readonly string[]; permissions: Readonly<Record<string, 'write'>> };

export type Installations = ReturnType<typeof createInstallations>;

/** Finds the App's installation for a repository, and creates its tokens. */
export function createInstallations({ ask, now }: { ask: AskAsApp; now: () => number }) {
  const known = new Map<string, number>();

  const find = async (repo: string): Promise<number> => {
    const id = known.get(repo);
    if (id !== undefined) return id;
    const answer = await ask({ method: 'GET', path: `/repos/${repo}/installation` });
    if (answer.status !== 200) throw refuse(repo, answer, now());
    const found = checkAnswer(Installation, answer.data, {
      what: `the installation for ${repo}`,
      otherwise: 'invalid-data',
    });
    known.set(repo, found.id);
    return found.id;
  };

  const tryToMint = async (repo: string, scope: TokenScope | undefined): Promise<AppAnswer> => {
    const path = `/app/installations/${await find(repo)}/access_tokens`;
    return ask({ method: 'POST', path, ...(scope !== undefined && { body: scope }) });
  };

  return {
    find,
    /** A reinstalled App has a new installation id, so an unknown id is looked up again. */
    async mint(repo: string, scope?: TokenScope): Promise<NewToken> {
      let answer = await tryToMint(repo, scope);
      if (answer.status === 404) {
        known.delete(repo);
        answer = await tryToMint(repo, scope);
      }
      if (answer.status !== 201) throw refuse(repo, answer, now());
      const about = { what: `a new token for ${repo}`, otherwise: 'invalid-data' } as const;
      const { token, expires_at: expiresAt } = checkAnswer(Minted, answer.data, about);
      // Both times are GitHub's, so the result does not depend on this machine's clock.
      const lifetimeMs = Date.parse(expiresAt) - (answer.date ?? now());
      return {
        token,
        lifetimeMs: Number.isFinite(lifetimeMs) ? Math.max(lifetimeMs, MIN_LIFETIME_MS) : HOUR_MS,
      };
    },
  };
}

/**
 * Explains why there is no token. Never 'not-found', because MergeXO would treat the issue or pull request as deleted.
 */
function refuse(repo: string, answer: AppAnswer, now: number): Failure {
  const failure = explainAnswer(answer, `the GitHub App's login for ${repo}`, now);
  const why = explain(repo, answer.status, String(Object(answer.data).message));
  return why === undefined ? failure : new Failure('unauthorized', why, { cause: failure.cause });
}

function explain(repo: string, status: number, message: string): string | undefined {
  if (status === 401 || /^integration not found/i.test(message))
    return 'GitHub rejects the client id or the private key of the GitHub App. Check github.app.client_id, or generate a new key in the settings of the App and store it.';
  if (status === 404)
    return `The GitHub App is not installed on ${repo}. Install it there; MergeXO then resumes by itself.`;
  if (status === 403 && /suspended/i.test(message))
    return `The installation of the GitHub App on ${repo} is suspended. Unsuspend it in the owner's settings on GitHub; MergeXO then resumes by itself.`;
  if (status === 422)
    return `GitHub refuses a token for ${repo}: ${message}. Check the permissions of the App and of its installation.`;
  return undefined;
}
