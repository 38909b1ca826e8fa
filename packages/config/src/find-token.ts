import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describeHost, Failure, type GitHubHost } from '@mergexo/core/basics';
import type { Settings } from './read-settings.js';

const run = promisify(execFile);

/** How long the token is cached, because starting `gh` takes 0.1 s. A new login takes effect within a minute. */
const KEEP_MS = 60_000;

export type FindToken = (() => Promise<string>) & {
  /**
   * Call this after GitHub rejects the token. The next lookup then runs `gh` again, unless the environment has the
   * token.
   */
  renew(): void;
};

/**
 * Creates a function that returns the GitHub token. Uses the token from the environment if there is one.
 * Otherwise runs `gh`, and runs it again when the cached token expires. `redact` learns the token.
 */
export function findToken(
  { githubToken, childEnv, config, redact }: Pick<Settings, 'githubToken' | 'childEnv' | 'config' | 'redact'>,
  monotonicNow: () => number,
): FindToken {
  if (githubToken !== undefined && githubToken !== '')
    return Object.assign(async () => githubToken, { renew: () => {} });
  const host = describeHost(config.github.apiUrl);
  let known: { token: string; at: number } | undefined;
  const find = async (): Promise<string> => {
    if (known !== undefined && monotonicNow() - known.at < KEEP_MS) return known.token;
    const token = await askGh(host, childEnv);
    redact.learn([token]);
    known = { token, at: monotonicNow() };
    return token;
  };
  return Object.assign(find, {
    renew: () => {
      known = undefined;
    },
  });
}

async function askGh({ name }: GitHubHost, env: Settings['childEnv']): Promise<string> {
  const message = `No GitHub login was found for ${name}: set GITHUB_TOKEN, or log in with \`gh auth login --hostname ${name}\`.`;
  try {
    const args = ['auth', 'token', '--hostname', name];
    const { stdout } = await run('gh', args, { timeout: 10_000, env: { ...env } });
    const token = stdout.trim();
    if (token === '') throw new Error('`gh auth token` printed nothing');
    return token;
  } catch (error) {
    throw new Failure('unauthorized', message, { cause: error });
  }
}
