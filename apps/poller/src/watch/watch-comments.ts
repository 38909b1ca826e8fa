import type { IssueComment } from '@mergexo/github';
import type { FeedbackEvent } from '@mergexo/state';
import { isUnansweredStart, runStartCommand } from '../commands/run-start-command.js';
import { findIssue } from '../threads/find-issue.js';
import { recordIssueRemark } from '../threads/record-issue-remark.js';
import { recordRemark } from '../threads/record-remark.js';
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
  if (pull === undefined && !comment.onPullRequest) recordIssueRemark(tools, repo, { remark });
  if (pull !== undefined && isListed(pull)) recordRemark(tools, repo, { remark });
}

/** Runs start commands. The feed records them with its cursor, so that a crash neither loses nor repeats a command. */
export async function runStartCommands(tools: WatchTools, repo: Repo): Promise<void> {
  const { github, state } = tools;
  for (const event of state
    .listPendingEvents(repo.id)
    .filter((other) => isStartCommand(tools, repo, other))) {
    const issue = await findIssue(github, repo, event.payload.thread);
    state.transaction(() => runStartCommand(tools, repo, { remark: event.payload, issue }));
  }
}

function isStartCommand({ state }: WatchTools, repo: Repo, event: FeedbackEvent): boolean {
  const { kind, thread } = event.payload;
  return kind === 'issue' && isUnansweredStart(state, event) && state.readPull(repo.id, thread) === undefined;
}
