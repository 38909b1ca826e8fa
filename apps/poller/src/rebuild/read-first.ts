import { readRebuiltAt } from '../lifecycle/database-age.js';
import { recordIssue } from '../lifecycle/run/record-issue.js';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { learnAccounts } from './learn-accounts.js';
import { pauseForSecret } from './lost-secret.js';
import { fetchPulls, listOwnPulls, rebuildRepo } from './rebuild-repo.js';
import { computeRules, fetchLabelled } from './reconsider-issues.js';

/** Feeds whose cursors the first read sets. */
const FEEDS = ['issues', 'issue_comments', 'review_comments'] as const;

type FirstTools = ListTools & { overlapMs: number };

/** Reads a repository for the first time: our own pull requests and open labeled issues, not the whole history. */
export async function readFirst(
  tools: FirstTools,
  repo: Repo,
): Promise<'rebuilt' | 'secret-lost' | 'learned'> {
  const { github, state, now, overlapMs } = tools;
  const [newest, issues, pulls] = await Promise.all([
    github.fetchNewestUpdate(repo.config.fullName),
    fetchLabelled(tools, repo),
    fetchPulls(tools, repo),
  ]);
  // The next poll knows these accounts, so it does not mistake MergeXO's earlier posts for people's comments.
  if (await learnAccounts(tools, repo, pulls)) return 'learned';
  const proofs = listOwnPulls(tools, repo, pulls);
  const start = newest === null ? 0 : Date.parse(newest) - overlapMs;
  const cursor = new Date(start).toISOString().replace(/\.\d+Z$/, 'Z');
  const found = await rebuildRepo(tools, repo, {
    labelled: issues,
    proofs,
    onFound: () => state.transaction(() => state.saveRepoWatch(repo.id, { rebuiltAt: now() })),
  });
  if (found === 'secret-lost') {
    pauseForSecret(tools, repo);
    return found;
  }
  state.transaction(() => {
    for (const issue of issues) recordIssue(tools, repo, { issue });
    state.saveRepoWatch(repo.id, { intakeRules: computeRules(repo) });
    // The rebuild has already read every pull request, so there is nothing to catch up on.
    state.deleteTask({ repoId: repo.id, kind: 'catch_up', number: 0 });
    for (const feed of FEEDS) state.saveFeed({ repoId: repo.id, name: feed, cursor, etag: null }, now());
    // A rebuilt pull request may be reopened later, and only this feed lists reopened pull requests.
    if (readRebuiltAt(state, repo.id) !== null)
      state.saveFeed({ repoId: repo.id, name: 'pulls', cursor: null, etag: null }, now());
  });
  return found;
}
