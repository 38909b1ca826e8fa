import type { Issue } from '@mergexo/github';
import { closePull } from '../lifecycle/close-pull.js';
import { markMerged } from '../lifecycle/mark-merged.js';
import { takeInIssue } from '../lifecycle/run/take-in-issue.js';
import { noteTakeover } from '../lifecycle/takeover.js';
import type { Repo } from '../tools.js';
import { readFeed } from './read-feed.js';
import { noteBaseMoved } from './watch-conflicts.js';
import type { WatchTools } from './watch-pulls.js';

/** One conditional request for issues and pull requests: labels, takeovers, closings and merges. */
export async function watchIssues(tools: WatchTools, repo: Repo): Promise<void> {
  const { github, state } = tools;
  const closed: Issue[] = [];
  const since = state.readFeed(repo.id, 'issues')?.cursor ?? '';
  await readFeed(tools, repo, {
    name: 'issues',
    fetch: github.fetchIssuesFeed,
    apply: (rows) => {
      for (const issue of [...rows].sort((a, b) => a.number - b.number)) {
        if (isOutdated(tools, repo, issue)) continue;
        noteTakeover(tools, repo, issue);
        // A comment on an old pull request brings its row again. Its merge is no news.
        const isNews = issue.mergedAt !== null && issue.mergedAt >= since;
        if (isNews) noteBaseMoved(tools, repo.id, issue.mergedAt ?? '');
        if (isNews && state.readPull(repo.id, issue.number) === undefined)
          markMerged(tools, repo.id, issue.number);
        if (issue.isPullRequest && !issue.open) closed.push(issue);
        else takeInIssue(tools, repo, issue);
      }
    },
  });
  for (const issue of closed) await followClosing(tools, repo, issue);
}

/** A list may fall behind what it has shown before, and an issue of ours is not closed or taken over twice for it. */
function isOutdated({ state }: WatchTools, repo: Repo, { number, updatedAt }: Issue): boolean {
  const isOurs =
    state.listRunsOfIssue(repo.id, number).length > 0 || state.readPull(repo.id, number) !== undefined;
  if (!isOurs) return false;
  const seen = state.readIssueWatch(repo.id, number)?.seenUpdatedAt ?? null;
  if (seen !== null && updatedAt < seen) return true;
  if (updatedAt !== seen) state.saveIssueWatch(repo.id, number, { seenUpdatedAt: updatedAt });
  return false;
}

/** The list of open pull requests shows only its first page for nothing; closings of the others come this way. */
async function followClosing(tools: WatchTools, repo: Repo, issue: Issue): Promise<void> {
  const { state, github, now } = tools;
  const { number } = issue;
  const pull = state.readPull(repo.id, number);
  if (pull === undefined || pull.status === 'merged') return;
  // Reopened and merged between two looks.
  if (pull.status === 'closed' && issue.mergedAt === null) return;
  const { status } = await github.fetchPull(repo.config.fullName, number);
  if (status === 'open') return;
  state.transaction(() => {
    closePull(tools, repo.id, number, status);
    // The list of open ones may never have been read; it is where a reopening shows.
    if (state.readFeed(repo.id, 'pulls') === undefined)
      state.saveFeed(repo.id, 'pulls', { cursor: null, etag: null }, now());
  });
}
