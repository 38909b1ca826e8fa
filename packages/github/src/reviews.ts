import { Failure } from '@mergexo/core';
import { z } from 'zod';
import type { FeedPage } from './feeds.js';
import { fetchUnlessGone } from './fetch-unless-gone.js';
import { keepOnePer } from './pages.js';
import { PullDetails } from './pull-models.js';
import type { Answer, Requests } from './request.js';
import { Review, ReviewComment } from './review-models.js';

const Created = z.object({ id: z.int() });

export type Reviews = ReturnType<typeof createReviews>;

export function createReviews(requests: Requests) {
  return {
    /**
     * All reviews, oldest first; of pending ones only our own. New ones come on the last page, and a dismissal can be on
     * any, so `etag` stands for all pages: hand it back as it is. While nothing changes, every page is a 304.
     */
    async fetchReviews(repo: string, number: number, etag: string | null): Promise<FeedPage<Review>> {
      const path = `/repos/${repo}/pulls/${number}/reviews`;
      const checked = await checkPages(requests, path, etag?.split(BETWEEN_TAGS) ?? []);
      if (checked.every((page) => page === undefined)) return { kind: 'unchanged' };
      const pages: ReviewPage[] = [];
      for (const [index, page] of checked.entries())
        pages.push(page ?? (await readPage(requests, path, index + 1)));
      const tags = pages.flatMap((page) => page.etag ?? []);
      return {
        kind: 'changed',
        rows: keepOnePer(
          ({ id }) => id,
          pages.flatMap(({ data }) => data),
        ),
        etag: tags.length === pages.length ? tags.join(BETWEEN_TAGS) : null,
      };
    },

    /** Complete or not at all, as `fetchThread`; the pull request is read after its comments. */
    async fetchReviewComments(
      repo: string,
      number: number,
    ): Promise<{ pull: PullDetails; comments: ReviewComment[] }> {
      const path = `/repos/${repo}/pulls/${number}`;
      const comments = keepOnePer(({ id }) => id, await requests.getAll(`${path}/comments`, ReviewComment));
      const pull = (await requests.get(path, PullDetails)).data;
      if (comments.length < pull.reviewCommentCount) {
        throw new Failure(
          'unavailable',
          `GitHub lists ${comments.length} of ${pull.reviewCommentCount} review comments of ${repo}#${number}. It is read again.`,
        );
      }
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

type ReviewPage = Answer<Review[]>;

const PAGE_SIZE = 100;
/** No header holds a line break, so no ETag does. */
const BETWEEN_TAGS = '\n';

const readPage = (requests: Requests, path: string, page: number): Promise<ReviewPage> =>
  requests.get(path, z.array(Review), { query: { per_page: PAGE_SIZE, page } });

/** Undefined for each page that is as its tag says. A full last page would not show what comes behind it: one more is read. */
async function checkPages(
  requests: Requests,
  path: string,
  tags: readonly string[],
): Promise<(ReviewPage | undefined)[]> {
  const pages: (ReviewPage | undefined)[] = [];
  for (let page = 1; ; page += 1) {
    const etag = tags[page - 1];
    const query = { per_page: PAGE_SIZE, page };
    const answer =
      etag === undefined
        ? await readPage(requests, path, page)
        : await requests.getIfChanged(path, z.array(Review), { query, etag });
    pages.push(answer);
    const isLast =
      answer === undefined ? page >= tags.length : answer.next === null && answer.data.length < PAGE_SIZE;
    if (isLast) return pages;
  }
}
