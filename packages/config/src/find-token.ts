import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Failure } from '@mergexo/core';
import type { Settings } from './read-settings.js';

const run = promisify(execFile);

/** Starting `gh` takes a tenth of a second; a new login is still found within a minute. */
const KEEP_MS = 60_000;

/** From the environment, else from the login of the `gh` program. Asked for again later, so a renewed login is found. */
export function findToken(
  { githubToken, childEnv, config }: Pick<Settings, 'githubToken' | 'childEnv' | 'config'>,
  monotonicNow: () => number,
): () => Promise<string> {
  if (githubToken !== undefined && githubToken !== '') return async () => githubToken;
  const hostname = toHostname(config.github.apiUrl);
  let known: { token: string; at: number } | undefined;
  return async () => {
    if (known !== undefined && monotonicNow() - known.at < KEEP_MS) return known.token;
    try {
      const args = ['auth', 'token', '--hostname', hostname];
      const { stdout } = await run('gh', args, { timeout: 10_000, env: { ...childEnv } });
      known = { token: stdout.trim(), at: monotonicNow() };
      return known.token;
    } catch (error) {
      throw new Failure(
        'unauthorized',
        `No GitHub login was found for ${hostname}: set GITHUB_TOKEN, or log in with \`gh auth login\`.`,
        { cause: error },
      );
    }
  };
}

/** `gh` knows GitHub by its web host, not by its API's. */
function toHostname(apiUrl: string): string {
  const { hostname } = new URL(apiUrl);
  return hostname === 'api.github.com' ? 'github.com' : hostname;
}
