import { readRebuiltAt } from '../lifecycle/database-age.js';
import { takeInIssue } from '../lifecycle/run/take-in-issue.js';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { pauseForSecret } from './lost-secret.js';
import { rebuildRepo } from './rebuild-repo.js';
import { computeRules, fetchLabelled } from './rejudge-issues.js';

/** The feeds that start behind the first read. */
const FEEDS = ['issues', 'issue_comments', 'review_comments'] as const;

type FirstTools = ListTools & { overlapMs: number };

/** The first read of a repository: only issues that are open and labelled, instead of its whole past. */
export async function readFirst(tools: FirstTools, repo: Repo): Promise<'rebuilt' | 'secret-lost'> {
  const { github, state, now, overlapMs } = tools;
  const newest = await github.fetchNewestUpdate(repo.config.fullName);
  const issues = await fetchLabelled(tools, repo);
  const start = newest === null ? 0 : Date.parse(newest) - overlapMs;
  const cursor = new Date(start).toISOString().replace(/\.\d+Z$/, 'Z');
  const found = await rebuildRepo(tools, repo, issues, () =>
    state.transaction(() => state.saveRepoWatch(repo.id, { rebuiltAt: now() })),
  );
  if (found === 'secret-lost') {
    pauseForSecret(tools, repo);
    return found;
  }
  state.transaction(() => {
    for (const issue of issues) takeInIssue(tools, repo, issue);
    state.saveRepoWatch(repo.id, { intakeRules: computeRules(repo) });
    // Everything was looked for just now.
    state.deleteTask({ repoId: repo.id, kind: 'catch_up', number: 0 });
    for (const feed of FEEDS) state.saveFeed(repo.id, feed, { cursor, etag: null }, now());
    // What was read back may be closed now, and be opened again.
    if (readRebuiltAt(state, repo.id) !== null)
      state.saveFeed(repo.id, 'pulls', { cursor: null, etag: null }, now());
  });
  return found;
}
