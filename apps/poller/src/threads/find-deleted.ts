import type { GitHub, IssueComment } from '@mergexo/github';
import type { FeedbackEvent, State } from '@mergexo/state';
import type { Repo } from '../tools.js';
import { listFollowups } from './record-issue-remark.js';

type Tools = { state: State; github: Pick<GitHub, 'fetchIssueComment'> };

/** Returns pending comments on an issue that have been deleted. */
export function findDeleted(
  tools: Tools,
  repo: Repo,
  { issueNumber, comments }: { issueNumber: number; comments: readonly IssueComment[] },
): Promise<FeedbackEvent[]> {
  return findGone(tools, repo, { events: listFollowups(tools, repo.id, issueNumber), comments });
}

/** Returns comments that are missing from the list and that GitHub reports as deleted. The list alone may lag. */
export async function findGone(
  tools: Tools,
  repo: Repo,
  { events, comments }: { events: readonly FeedbackEvent[]; comments: readonly IssueComment[] },
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
