import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Failure } from '@mergexo/core/basics';
import type { Settings } from './read-settings.js';

const run = promisify(execFile);

/** Starting `gh` takes a tenth of a second; a new login is still found within a minute. */
const KEEP_MS = 60_000;

export type FindToken = (() => Promise<string>) & {
  /** GitHub rejected the token: the next call asks `gh` again. A token from the environment stays as it is. */
  renew(): void;
};

/** From the environment, else from the login of the `gh` program. Asked for again later, so a renewed login is found. */
export function findToken(
  { githubToken, childEnv, config }: Pick<Settings, 'githubToken' | 'childEnv' | 'config'>,
  monotonicNow: () => number,
): FindToken {
  if (githubToken !== undefined && githubToken !== '')
    return Object.assign(async () => githubToken, { renew: () => {} });
  const hostname = toHostname(config.github.apiUrl);
  let known: { token: string; at: number } | undefined;
  const find = async (): Promise<string> => {
    if (known !== undefined && monotonicNow() - known.at < KEEP_MS) return known.token;
    const token = await askGh(hostname, childEnv);
    known = { token, at: monotonicNow() };
    return token;
  };
  return Object.assign(find, {
    renew: () => {
      known = undefined;
    },
  });
}

async function askGh(hostname: string, env: Settings['childEnv']): Promise<string> {
  const message = `No GitHub login was found for ${hostname}: set GITHUB_TOKEN, or log in with \`gh auth login\`.`;
  try {
    const args = ['auth', 'token', '--hostname', hostname];
    const { stdout } = await run('gh', args, { timeout: 10_000, env: { ...env } });
    const token = stdout.trim();
    if (token === '') throw new Error('`gh auth token` printed nothing');
    return token;
  } catch (error) {
    throw new Failure('unauthorized', message, { cause: error });
  }
}

/** `gh` knows GitHub by its web host, not by its API's. */
function toHostname(apiUrl: string): string {
  const { hostname } = new URL(apiUrl);
  return hostname === 'api.github.com' ? 'github.com' : hostname;
}
