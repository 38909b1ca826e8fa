import { createHmac } from 'node:crypto';
import type { SigningKeys } from '@mergexo/core';
import { MERGEXO_CLI } from '@mergexo/core';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';

const FEED = 'secret_lost';

/**
 * A repository whose pull requests were signed with a secret that we do not have is paused until the secret is back or
 * an operator runs `mergexo adopt`. Meanwhile a poll costs one conditional request instead of the whole first read.
 */
export async function isPausedForSecret(
  { github, state, keys, now }: ListTools,
  repo: Repo,
): Promise<boolean> {
  const noted = state.readCursor(repo.id, FEED);
  if (noted === undefined) return false;
  const [mark = '', since = ''] = (noted.cursor ?? '').split(' ');
  if (mark !== computeMark(keys)) {
    state.deleteCursor(repo.id, FEED);
    return false;
  }
  const page = await github.fetchIssuesFeed(repo.config.fullName, { since, etag: noted.etag });
  if (page.kind !== 'unchanged') state.saveCursor(repo.id, FEED, { ...noted, etag: page.etag }, now());
  return true;
}

export function pauseForSecret({ state, keys, now, log }: ListTools, repo: Repo): void {
  const { fullName } = repo.config;
  const since = new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z');
  state.saveCursor(repo.id, FEED, { cursor: `${computeMark(keys)} ${since}`, etag: null }, now());
  log.error(
    { repo_full_name: fullName },
    `the pull requests of this repository were signed with a secret that is lost; restore it, or run \`${MERGEXO_CLI} adopt\``,
  );
}

/** Another set of keys may verify: then the repository is read anew. */
function computeMark({ current, older }: SigningKeys): string {
  return createHmac('sha256', [current, ...older].join(' '))
    .update('mergexo-secret-lost')
    .digest('hex');
}
