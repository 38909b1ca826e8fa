import type { PullRequest } from '@mergexo/github';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { readFooter } from './rebuild-repo.js';

/**
 * Records the accounts of earlier logins, such as the person's login that MergeXO used before it became a GitHub App.
 * The database that listed them is lost, so they are read from the authors of signed pull requests. Anyone with push
 * access can copy a signed body, also into an older pull request of the same branch, or edit the original. So only the
 * first pull request of each branch counts, and none if a known account opened one. Returns false if no account was new.
 */
export async function learnAccounts(
  tools: ListTools,
  repo: Repo,
  pulls: readonly PullRequest[],
): Promise<boolean> {
  const { github, state, viewer, now } = tools;
  const isSigned = (pull: PullRequest): boolean =>
    pull.headRepoId === repo.id &&
    pull.headRef.startsWith('agent/') &&
    readFooter(tools, repo, pull) !== undefined;
  const found = new Set<number>();
  for (const { author, headRef } of pulls.filter(isSigned)) {
    if (viewer.ids.has(author.id) || found.has(author.id)) continue;
    // The given list may lack older pull requests of the branch.
    const all = await github.fetchPullsOfBranch(repo.config.fullName, headRef);
    const isKnown = all.some((pull) => viewer.ids.has(pull.author.id));
    const [first] = all.filter(({ headRepoId }) => headRepoId === repo.id);
    if (!isKnown && first?.author.id === author.id && isSigned(first)) found.add(author.id);
  }
  state.transaction(() => {
    for (const account of found) state.recordAccount(repo.id, account, now());
  });
  return found.size > 0;
}
