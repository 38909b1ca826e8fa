import { keepOnePer } from '../http/pages.js';
import type { Requests } from '../http/requests.js';
import { keyOf, type Memory } from '../memory/create-memory.js';
import { IssueComment } from '../models/issue-models.js';
import type { PullDetails } from '../models/pull-models.js';
import { ReviewComment } from '../models/review-models.js';
import type { CheckCount } from './check-count.js';

export type CommentReads = ReturnType<typeof createCommentReads>;

/**
 * Lists the comments of a thread. `keep…` remembers a list, and throws if it lags behind GitHub's count: with an
 * incomplete list, MergeXO could post twice.
 */
export function createCommentReads(requests: Requests, checkCount: CheckCount, memory: Memory) {
  return {
    listComments: (repo: string, number: number): Promise<IssueComment[]> =>
      requests.getAll(`/repos/${repo}/issues/${number}/comments`, IssueComment),

    keepComments(
      repo: string,
      { number, commentCount }: { number: number; commentCount: number },
      listed: readonly IssueComment[],
    ): IssueComment[] {
      const comments = keepOnePer(({ id }) => id, listed);
      checkCount(`comments of ${repo}#${number}`, comments.length, commentCount);
      memory.comments.store(keyOf(repo, number), comments);
      return comments;
    },

    listLines: (repo: string, number: number): Promise<ReviewComment[]> =>
      requests.getAll(`/repos/${repo}/pulls/${number}/comments`, ReviewComment),

    keepLines(repo: string, pull: PullDetails, listed: readonly ReviewComment[]): ReviewComment[] {
      const { number, headSha, reviewCommentCount } = pull;
      const lines = keepOnePer(({ id }) => id, listed);
      checkCount(`review comments of ${repo}#${number}`, lines.length, reviewCommentCount);
      // A new head changes the line numbers of comments without changing their `updatedAt`.
      memory.lines.store(keyOf(repo, number), lines, headSha);
      return lines;
    },
  };
}
