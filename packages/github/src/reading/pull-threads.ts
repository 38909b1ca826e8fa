import type { FeedPage } from '../http/pages.js';
import { keyOf, type Memory, type PullThread } from '../memory/create-memory.js';
import { versionOf } from '../memory/freshness.js';
import type { PullDetails } from '../models/pull-models.js';
import type { Review } from '../models/review-models.js';
import type { CommentReads } from './comment-reads.js';

type Tools = {
  memory: Memory;
  reads: CommentReads;
  fetchPull: (repo: string, number: number) => Promise<PullDetails>;
  fetchReviews: (repo: string, number: number, etag: string | null) => Promise<FeedPage<Review>>;
};

export function createPullThreads({ memory, reads, fetchPull, fetchReviews }: Tools) {
  const read = async (repo: string, number: number, relistsLines: boolean): Promise<PullThread> => {
    const key = keyOf(repo, number);
    const readAt = memory.now();
    const listed = {
      comments: memory.comments.has(key) ? undefined : reads.listComments(repo, number),
      lines: memory.lines.has(key) && !relistsLines ? undefined : reads.listLines(repo, number),
    };
    const [first, reviews] = await Promise.all([
      fetchPull(repo, number),
      fetchReviews(repo, number, null),
      listed.comments,
      listed.lines,
    ]);
    const rows = reviews.kind === 'changed' ? reviews.rows : [];
    // A review may be submitted between the two responses. Its comments would be missing without a second read.
    const pull = rows.some((review) => isNewer(review, first)) ? await fetchPull(repo, number) : first;
    const known = {
      comments: memory.comments.read(key, pull.commentCount),
      lines: memory.lines.read(key, pull.reviewCommentCount, pull.headSha),
    };
    const [comments, lines] = await Promise.all([
      listed.comments ?? known.comments ?? reads.listComments(repo, number),
      listed.lines ?? known.lines ?? reads.listLines(repo, number),
    ]);
    // A newer version may have been read while the comments were listed.
    memory.freshness.check(versionOf.pull(repo, pull));
    return {
      readAt,
      pull,
      conversation: comments === known.comments ? comments : reads.keepComments(repo, pull, comments),
      reviewComments: lines === known.lines ? lines : reads.keepLines(repo, pull, lines),
      reviews: rows,
      reviewsEtag: reviews.kind === 'changed' ? reviews.etag : null,
    };
  };

  return {
    /**
     * Returns the pull request with all its comments and reviews, or fails. Lists comments only if the number of
     * known comments differs from GitHub's count. Makes no request if the pull request was read at most `maxAgeMs`
     * ago and nothing has reported a change since. With `relistsLines`, also returns edits of line comments that no
     * feed has reported yet.
     */
    async refreshPull(
      repo: string,
      number: number,
      { maxAgeMs = 0, relistsLines = false }: { maxAgeMs?: number; relistsLines?: boolean } = {},
    ): Promise<PullThread> {
      const recent = memory.readPullThread(repo, number, relistsLines ? 0 : maxAgeMs);
      if (recent !== undefined) return recent;
      const thread = await read(repo, number, relistsLines);
      memory.keepPullThread(repo, thread);
      return thread;
    },
  };
}

function isNewer({ submittedAt }: Review, { updatedAt }: PullDetails): boolean {
  return submittedAt !== null && submittedAt > updatedAt;
}
