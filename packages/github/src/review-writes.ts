import { z } from 'zod';
import type { Requests } from './http/requests.js';
import { ReviewComment } from './models/review-models.js';

export type NewReview = {
  /** The head that was reviewed: GitHub would take the newest otherwise. */
  commitSha: string;
  event: 'COMMENT' | 'APPROVE' | 'REQUEST_CHANGES';
  body: string;
  comments: readonly { path: string; line: number; side: 'RIGHT'; body: string }[];
};

const Posted = z
  .object({ id: z.int(), html_url: z.string() })
  .transform(({ id, html_url: url }) => ({ id, url }));
const Requested = z
  .object({ requested_reviewers: z.array(z.object({ login: z.string() })).nullish() })
  .transform((pull) => (pull.requested_reviewers ?? []).map(({ login }) => login));

const Asked = z
  .object({ users: z.array(z.object({ login: z.string() })) })
  .transform(({ users }) => users.map(({ login }) => login));

export type ReviewWrites = ReturnType<typeof createReviewWrites>;

export function createReviewWrites(requests: Requests) {
  return {
    /**
     * All or nothing: one line outside the diff, an unknown commit, a verdict on our own pull request or an own pending
     * review make it a 'conflict'.
     */
    postReview: (repo: string, number: number, review: NewReview): Promise<{ id: number; url: string }> =>
      requests.write('POST', `/repos/${repo}/pulls/${number}/reviews`, Posted, {
        commit_id: review.commitSha,
        event: review.event,
        body: review.body,
        ...(review.comments.length === 0 ? {} : { comments: review.comments }),
      }),

    /**
     * The inline comments of one review, oldest first. They are picked from all of the pull request: the list of a
     * review alone does not say their lines.
     */
    async fetchReviewCommentsOf(repo: string, number: number, reviewId: number): Promise<ReviewComment[]> {
      const comments = await requests.getAll(`/repos/${repo}/pulls/${number}/comments`, ReviewComment);
      return comments.filter((comment) => comment.reviewId === reviewId);
    },

    fetchRequestedReviewers: async (repo: string, number: number): Promise<string[]> =>
      (await requests.get(`/repos/${repo}/pulls/${number}/requested_reviewers`, Asked)).data,

    /** Answers with all who are asked then. 'conflict' when one is no collaborator, or the author. */
    requestReviewers: (repo: string, number: number, logins: readonly string[]): Promise<string[]> =>
      requests.write('POST', `/repos/${repo}/pulls/${number}/requested_reviewers`, Requested, {
        reviewers: logins,
      }),
  };
}
