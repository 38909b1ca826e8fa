import { createHmac } from 'node:crypto';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import type { SigningKeys } from '@mergexo/core/outbox';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';

/**
 * True if the repository is paused because its pull requests were signed with an unknown secret. An operator
 * must restore the secret or run `mergexo adopt`. Until then, each poll makes one conditional request.
 */
export async function isPausedForSecret({ github, state, keys }: ListTools, repo: Repo): Promise<boolean> {
  const lost = state.readLostSecret(repo.id);
  if (lost === undefined) return false;
  if (lost.keysMark !== computeMark(keys)) {
    state.deleteLostSecret(repo.id);
    return false;
  }
  const since = new Date(lost.since).toISOString().replace(/\.\d+Z$/, 'Z');
  const page = await github.fetchIssuesFeed(repo.config.fullName, { since, etag: lost.etag });
  if (page.kind !== 'unchanged') state.saveLostSecret({ ...lost, etag: page.etag });
  return true;
}

export function pauseForSecret({ state, keys, now, log }: ListTools, repo: Repo): void {
  const { fullName } = repo.config;
  state.saveLostSecret({ repoId: repo.id, keysMark: computeMark(keys), since: now(), etag: null });
  log.error(
    { repo_full_name: fullName },
    `MergeXO pauses this repository, because its pull requests were signed with a lost secret; restore it, or run \`${MERGEXO_CLI} adopt\``,
  );
}

/** Identifies the key set. New keys may verify the signatures, so a changed mark ends the pause. */
function computeMark({ current, older }: SigningKeys): string {
  return createHmac('sha256', [current, ...older].join(' '))
    .update('mergexo-secret-lost')
    .digest('hex');
}
