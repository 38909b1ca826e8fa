import type { GitHub, IssueComment } from '@mergexo/github';
import type { FeedbackEvent, State } from '@mergexo/state';
import type { Repo } from '../tools.js';
import { listFollowups } from './take-in-issue-remark.js';

type Tools = { state: State; github: Pick<GitHub, 'fetchIssueComment'> };

/** Of what waits on an issue. */
export function findDeleted(
  tools: Tools,
  repo: Repo,
  { issueNumber }: { issueNumber: number },
  comments: readonly IssueComment[],
): Promise<FeedbackEvent[]> {
  return findGone(tools, repo, listFollowups(tools, repo.id, issueNumber), comments);
}

/** Not in the complete list, and GitHub says that it is gone. A list alone may lag behind. */
export async function findGone(
  tools: Tools,
  repo: Repo,
  events: readonly FeedbackEvent[],
  comments: readonly IssueComment[],
): Promise<FeedbackEvent[]> {
  const present = new Set(comments.map(({ id }) => id));
  const missing = events.filter(({ commentId }) => !present.has(commentId));
  const gone: FeedbackEvent[] = [];
  for (const event of missing) {
    const found = await tools.github.fetchIssueComment(repo.config.fullName, event.commentId);
    if (found === null) gone.push(event);
  }
  return gone;
}
