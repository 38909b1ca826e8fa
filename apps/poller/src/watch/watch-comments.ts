import type { IssueComment } from '@mergexo/github';
import type { FeedbackEvent } from '@mergexo/state';
import { isUnansweredStart, obeyStart } from '../commands/obey-start.js';
import { findIssue } from '../threads/find-issue.js';
import { takeInIssueRemark } from '../threads/take-in-issue-remark.js';
import { takeInRemark } from '../threads/take-in-remark.js';
import { oldestFirst, toRemark } from '../threads/to-remark.js';
import type { Repo } from '../tools.js';
import { fetchFeed } from './read-feed.js';
import { isListed, type WatchTools } from './watch-pulls.js';

/** Makes one conditional request for comments on issues and pull requests. The returned function records them. */
export function fetchComments(
  tools: WatchTools,
  repo: Repo,
  onComment: (comment: IssueComment) => void,
): Promise<() => void> {
  return fetchFeed(tools, repo, {
    name: 'issue_comments',
    fetch: tools.github.fetchIssueCommentsFeed,
    apply: (rows) => {
      for (const comment of oldestFirst(rows)) {
        takeInComment(tools, repo, comment);
        onComment(comment);
      }
    },
  });
}

function takeInComment(tools: WatchTools, repo: Repo, comment: IssueComment): void {
  const remark = toRemark(comment);
  const pull = tools.state.readPull(repo.id, comment.thread);
  if (pull === undefined && !comment.onPullRequest) takeInIssueRemark(tools, repo, { remark });
  if (pull !== undefined && isListed(pull)) takeInRemark(tools, repo, { remark });
}

/** Runs start commands. The feed records them with its cursor, so that a crash neither loses nor repeats a command. */
export async function obeyStartCommands(tools: WatchTools, repo: Repo): Promise<void> {
  const { github, state } = tools;
  for (const event of state
    .listPendingEvents(repo.id)
    .filter((other) => isStartCommand(tools, repo, other))) {
    const issue = await findIssue(github, repo, event.payload.thread);
    state.transaction(() => obeyStart(tools, repo, { remark: event.payload, issue }));
  }
}

function isStartCommand({ state }: WatchTools, repo: Repo, event: FeedbackEvent): boolean {
  const { kind, thread } = event.payload;
  return kind === 'issue' && isUnansweredStart(state, event) && state.readPull(repo.id, thread) === undefined;
}
