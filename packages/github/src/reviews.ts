import { z } from 'zod';
import { createFind } from './fetch-unless-gone.js';
import type { FeedPage } from './http/pages.js';
import { readPagesIfChanged } from './http/pages-if-changed.js';
import type { Requests } from './http/requests.js';
import { keyOf, type Memory } from './memory/create-memory.js';
import { versionOf } from './memory/freshness.js';
import type { PullDetails } from './models/pull-models.js';
import { Review, ReviewComment } from './models/review-models.js';
import type { CheckCount } from './reading/check-count.js';
import type { CommentReads } from './reading/comment-reads.js';

/** Requires only the id, because a reply was posted even if the response lacks other fields. */
const Posted = z.looseObject({ id: z.int() });

type NewReply = { pull: number; inReplyToId: number; body: string };

type Tools = {
  memory: Memory;
  reads: CommentReads;
  checkCount: CheckCount;
  fetchPull: (repo: string, number: number) => Promise<PullDetails>;
};

export function createReviews(requests: Requests, { memory, reads, checkCount, fetchPull }: Tools) {
  /** Throws if a list is older than an earlier one. Hidden accounts also remove reviews, so the count may shrink. */
  const refuseOutdated = (repo: string, number: number, rows: readonly Review[]): void => {
    for (const review of rows) memory.freshness.check(versionOf.review(repo, review));
    const known = memory.reviews.get(keyOf(repo, number))?.rows ?? [];
    const submitted = known.filter(({ state }) => state !== 'pending');
    const ids = new Set(rows.map(({ id }) => id));
    const listed = submitted.filter(({ id }) => ids.has(id)).length;
    checkCount(`known reviews of ${repo}#${number}`, listed, submitted.length);
  };

  const fetchReviews = async (
    repo: string,
    number: number,
    etag: string | null,
  ): Promise<FeedPage<Review>> => {
    const key = keyOf(repo, number);
    const known = memory.reviews.get(key);
    const list = { path: `/repos/${repo}/pulls/${number}/reviews`, page: z.array(Review) };
    const page = await readPagesIfChanged(requests, list, known?.etag ?? etag);
    if (page.kind === 'unchanged')
      return known === undefined || known.etag === etag ? page : { kind: 'changed', ...known };
    refuseOutdated(repo, number, page.rows);
    if (page.etag !== null) memory.reviews.set(key, { rows: page.rows, etag: page.etag });
    return page;
  };

  return {
    /**
     * Returns submitted reviews and our pending one, oldest first. A new review is on the last page, a dismissal on
     * any page.
     */
    fetchReviews,

    /** Returns all review comments or fails, like `fetchThread`. */
    async fetchReviewComments(
      repo: string,
      number: number,
    ): Promise<{ pull: PullDetails; comments: ReviewComment[] }> {
      const [lines, pull] = await Promise.all([reads.listLines(repo, number), fetchPull(repo, number)]);
      return { pull, comments: reads.keepLines(repo, pull, lines) };
    },

    /** Fetches a review comment; null if the comment was deleted. */
    fetchReviewComment: (repo: string, id: number): Promise<ReviewComment | null> =>
      createFind(requests)({ repo, path: `pulls/comments/${id}` }, ReviewComment),

    /**
     * Replies in a thread. GitHub accepts replies only to its first comment. To answer a reply, pass its
     * `inReplyToId`.
     */
    async postReviewReply(repo: string, { pull, inReplyToId, body }: NewReply): Promise<{ id: number }> {
      const path = `/repos/${repo}/pulls/${pull}/comments/${inReplyToId}/replies` as const;
      const posted = await requests.write(`POST ${path}`, Posted, { body });
      const { data: reply } = ReviewComment.safeParse(posted);
      if (reply !== undefined) memory.lines.upsert(keyOf(repo, pull), reply);
      memory.forgetPull(repo, pull);
      return { id: posted.id };
    },
  };
}
