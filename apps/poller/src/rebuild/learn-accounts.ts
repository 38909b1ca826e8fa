import type { PullRequest } from '@mergexo/github';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { readFooter } from './rebuild-repo.js';

/**
 * Records the accounts of earlier logins, such as the person's login that MergeXO used before it became a GitHub App.
 * The database that listed them is lost, so they are read from the authors of signed pull requests. Anyone with push
 * access can copy a signed body, so only the first pull request of each branch counts. Returns false if no account was
 * new.
 */
export function learnAccounts(tools: ListTools, repo: Repo, pulls: readonly PullRequest[]): boolean {
  const { state, viewer, now } = tools;
  const isFirst = ({ headRef, number }: PullRequest): boolean =>
    !pulls.some((other) => other.headRef === headRef && other.number < number);
  const found = pulls
    .filter((pull) => pull.headRepoId === repo.id && pull.headRef.startsWith('agent/') && isFirst(pull))
    .filter((pull) => !viewer.ids.has(pull.author.id) && readFooter(tools, repo, pull) !== undefined);
  state.transaction(() => {
    for (const { author } of found) state.recordAccount(repo.id, author.id, now());
  });
  return found.length > 0;
}
