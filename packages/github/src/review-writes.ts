import { z } from 'zod';
import type { Requests } from './http/requests.js';
import type { Memory } from './memory/create-memory.js';

export type NewReview = {
  /** The reviewed head. Without this field, GitHub would use the newest head. */
  commitSha: string;
  event: 'COMMENT' | 'APPROVE' | 'REQUEST_CHANGES';
  body: string;
  /** `start_line` is the first line of a range that ends at `line`. */
  comments: readonly {
    path: string;
    start_line?: number;
    start_side?: 'RIGHT';
    line: number;
    side: 'RIGHT';
    body: string;
  }[];
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

export function createReviewWrites(requests: Requests, memory: Memory) {
  return {
    /**
     * Posts all comments or none. Fails with 'conflict' for a line outside the diff, an unknown commit, a verdict on
     * our own pull request, or while we have a pending review.
     */
    postReview(repo: string, number: number, review: NewReview): Promise<{ id: number; url: string }> {
      const posted = requests.write(`POST /repos/${repo}/pulls/${number}/reviews`, Posted, {
        commit_id: review.commitSha,
        event: review.event,
        body: review.body,
        ...(review.comments.length === 0 ? {} : { comments: review.comments }),
      });
      return posted.finally(() => memory.forgetPull(repo, number));
    },

    fetchRequestedReviewers: async (repo: string, number: number): Promise<string[]> =>
      (await requests.get(`/repos/${repo}/pulls/${number}/requested_reviewers`, Asked)).data,

    /**
     * Requests reviews and returns all requested reviewers. Fails with 'conflict' if a login is the author or
     * is not a collaborator.
     */
    requestReviewers: (repo: string, number: number, logins: readonly string[]): Promise<string[]> =>
      requests.write(`POST /repos/${repo}/pulls/${number}/requested_reviewers`, Requested, {
        reviewers: logins,
      }),
  };
}
