import type { Issue } from '@mergexo/github';
import { skipUnreadable } from '../attempt.js';
import { inParallel } from '../in-parallel.js';
import { closePull } from '../lifecycle/close-pull.js';
import { markMerged } from '../lifecycle/mark-merged.js';
import { recordIssue } from '../lifecycle/run/record-issue.js';
import { noteTakeover } from '../lifecycle/takeover.js';
import type { Repo } from '../tools.js';
import { fetchFeed } from './read-feed.js';
import { noteBaseMoved } from './watch-conflicts.js';
import { UNREADABLE, type WatchTools } from './watch-pulls.js';

/**
 * Makes one conditional request for changed issues and pull requests, including labels and merges. The returned
 * function records them.
 */
export async function fetchIssues(tools: WatchTools, repo: Repo): Promise<() => Promise<void>> {
  const { github, state } = tools;
  const closed: Issue[] = [];
  const feed = state.readFeed(repo.id, 'issues');
  const since = feed?.recordedUpTo ?? feed?.cursor ?? '';
  const record = await fetchFeed(tools, repo, {
    name: 'issues',
    fetch: github.fetchIssuesFeed,
    apply: (rows) => {
      for (const issue of [...rows].sort((a, b) => a.number - b.number)) {
        noteSeen(tools, repo, issue);
        noteTakeover(tools, repo, issue);
        // A comment on an old pull request repeats its row, so only merges since the cursor count as new.
        const isNews = issue.mergedAt !== null && issue.mergedAt >= since;
        if (isNews) noteBaseMoved(tools, repo.id, issue.mergedAt ?? '');
        if (isNews && state.readPull(repo.id, issue.number) === undefined)
          markMerged(tools, repo.id, issue.number);
        if (!issue.open && !issue.isPullRequest) state.noteBlockerClosed(repo.config.fullName, issue.number);
        if (issue.isPullRequest && !issue.open) closed.push(issue);
        else recordIssue(tools, repo, { issue });
      }
    },
  });
  return async () => {
    record();
    await inParallel(closed, async (issue) => {
      const about = { message: UNREADABLE, pr_number: issue.number };
      await skipUnreadable(tools.log, about, () => followClosing(tools, repo, issue));
    });
  };
}

/** Records the version of an issue or pull request that MergeXO tracks, for the next start of the poller. */
function noteSeen({ state }: WatchTools, repo: Repo, { number, updatedAt }: Issue): void {
  const isOurs =
    state.listRunsOfIssue(repo.id, number).length > 0 || state.readPull(repo.id, number) !== undefined;
  if (isOurs && state.readIssueWatch(repo.id, number)?.seenUpdatedAt !== updatedAt)
    state.saveIssueWatch(repo.id, number, { seenUpdatedAt: updatedAt });
}

/**
 * Records that a pull request was closed. If GitHub still returns the pull request as open, the poller reads it again
 * later, because the list of open pull requests lacks it.
 */
async function followClosing(tools: WatchTools, repo: Repo, issue: Issue): Promise<void> {
  const { state, github, now } = tools;
  const { number } = issue;
  const pull = state.readPull(repo.id, number);
  if (pull === undefined || pull.status === 'merged') return;
  // A pull request that is recorded as closed may have been reopened and merged between two polls.
  if (pull.status === 'closed' && issue.mergedAt === null) return;
  const { status } = await github.fetchPull(repo.config.fullName, number);
  if (status === 'open') return;
  state.transaction(() => {
    closePull(tools, pull, status);
    // Only the list of open pull requests contains reopened ones, so the poller must read it from now on.
    if (state.readFeed(repo.id, 'pulls') === undefined)
      state.saveFeed({ repoId: repo.id, name: 'pulls', cursor: null, etag: null }, now());
  });
}
