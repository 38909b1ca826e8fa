import { z } from 'zod';
import type { CheckCount } from './check-count.js';
import { fetchUnlessGone } from './fetch-unless-gone.js';
import type { FeedPage } from './http/feed-page.js';
import { keepOnePer } from './http/pages.js';
import { readPagesIfChanged } from './http/pages-if-changed.js';
import type { Requests } from './http/requests.js';
import { PullDetails } from './models/pull-models.js';
import { Review, ReviewComment } from './models/review-models.js';

const Created = z.object({ id: z.int() });

export type Reviews = ReturnType<typeof createReviews>;

export function createReviews(requests: Requests, checkCount: CheckCount) {
  return {
    /** All reviews, oldest first; of pending ones only our own. New ones come on the last page, a dismissal on any. */
    fetchReviews: (repo: string, number: number, etag: string | null): Promise<FeedPage<Review>> =>
      readPagesIfChanged(
        requests,
        { path: `/repos/${repo}/pulls/${number}/reviews`, page: z.array(Review) },
        etag,
      ),

    /** Complete or not at all, as `fetchThread`; the pull request is read after its comments. */
    async fetchReviewComments(
      repo: string,
      number: number,
    ): Promise<{ pull: PullDetails; comments: ReviewComment[] }> {
      const path = `/repos/${repo}/pulls/${number}`;
      const comments = keepOnePer(({ id }) => id, await requests.getAll(`${path}/comments`, ReviewComment));
      const pull = (await requests.get(path, PullDetails)).data;
      checkCount(`review comments of ${repo}#${number}`, comments.length, pull.reviewCommentCount);
      return { pull, comments };
    },

    /** Null when it was deleted. */
    fetchReviewComment: (repo: string, id: number): Promise<ReviewComment | null> =>
      fetchUnlessGone(
        requests,
        repo,
        async () => (await requests.get(`/repos/${repo}/pulls/comments/${id}`, ReviewComment)).data,
      ),

    /** GitHub takes answers to the first comment of a thread only: for a reply, give the `inReplyToId` that it has. */
    postReviewReply: (repo: string, pullNumber: number, inReplyToId: number, body: string) =>
      requests.write('POST', `/repos/${repo}/pulls/${pullNumber}/comments/${inReplyToId}/replies`, Created, {
        body,
      }),
  };
}
