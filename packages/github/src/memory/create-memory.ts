import { isWithin } from '@mergexo/core/basics';
import type { Issue, IssueComment } from '../models/issue-models.js';
import type { PullDetails } from '../models/pull-models.js';
import type { Review, ReviewComment } from '../models/review-models.js';
import { createCommentLists } from './comment-lists.js';
import { createFreshness, versionOf } from './freshness.js';
import { createLimitedMap } from './limited-map.js';

/** A pull request with all its comments and reviews. */
export type PullThread = {
  pull: PullDetails;
  conversation: readonly IssueComment[];
  reviewComments: readonly ReviewComment[];
  reviews: readonly Review[];
  reviewsEtag: string | null;
  /** When the read began. */
  readAt: number;
};

const MAX_OBJECTS = 500;

export type Memory = ReturnType<typeof createMemory>;

/** Remembers GitHub's responses. Feeds and our own posts keep them up to date, which saves repeated reads. */
export function createMemory(now: () => number) {
  const comments = createCommentLists<IssueComment>();
  const issues = createLimitedMap<{ issue: Issue; at: number }>(MAX_OBJECTS);
  const threads = createLimitedMap<PullThread>(MAX_OBJECTS);
  /** Start of the last successful read of each repository's issues feed, which reports every change of an issue. */
  const feedReadAt = new Map<string, number>();
  const freshness = createFreshness();
  /** Time of the last reported change of each pull request. A read that began earlier may lack the change. */
  const changedAt = createLimitedMap<number>(MAX_OBJECTS);
  const forgetPull = (repo: string, number: number): void => {
    threads.delete(keyOf(repo, number));
    changedAt.set(keyOf(repo, number), now());
  };
  return {
    now,
    comments,
    lines: createCommentLists<ReviewComment>(),
    reviews: createLimitedMap<{ rows: Review[]; etag: string }>(MAX_OBJECTS),
    freshness,
    forgetPull,

    keepIssue(repo: string, issue: Issue, at: number): void {
      const version = versionOf.issue(repo, issue);
      if (freshness.isOutdated(version)) return;
      freshness.note(version);
      const key = keyOf(repo, issue.number);
      // Compares the whole issue, because a second change within the same second does not change `updatedAt`.
      if (JSON.stringify(issues.get(key)?.issue) !== JSON.stringify(issue)) forgetPull(repo, issue.number);
      issues.set(key, { issue, at });
    },
    /**
     * Adds a comment that MergeXO posted, so that the known comments and their number still agree. `posted` is undefined
     * if GitHub's response was incomplete.
     */
    noteOwnComment(repo: string, number: number, posted: IssueComment | undefined): void {
      const key = keyOf(repo, number);
      if (posted !== undefined) comments.upsert(key, posted);
      const known = issues.get(key);
      if (known === undefined) return;
      issues.set(key, { ...known, issue: { ...known.issue, commentCount: known.issue.commentCount + 1 } });
    },
    noteFeedRead: (repo: string, at: number): void => void feedReadAt.set(repo, at),
    /** Returns the issue if it was read at most `maxAgeMs` ago. */
    readIssue(repo: string, number: number, maxAgeMs: number): Issue | undefined {
      const known = issues.get(keyOf(repo, number));
      return known !== undefined && isWithin(maxAgeMs, known.at, now()) ? known.issue : undefined;
    },
    /**
     * Returns the issue if the issue or the feed was read at most `maxAgeMs` ago. The issue's comment count may be too
     * high after a comment was deleted.
     */
    readUnchangedIssue(repo: string, number: number, maxAgeMs: number): Issue | undefined {
      const known = issues.get(keyOf(repo, number));
      const at = Math.max(known?.at ?? 0, feedReadAt.get(repo) ?? 0);
      return isWithin(maxAgeMs, at, now()) ? known?.issue : undefined;
    },

    keepPullThread(repo: string, thread: PullThread): void {
      const key = keyOf(repo, thread.pull.number);
      if (thread.readAt > (changedAt.get(key) ?? Number.NEGATIVE_INFINITY)) threads.set(key, thread);
    },
    readPullThread(repo: string, number: number, maxAgeMs: number): PullThread | undefined {
      const known = threads.get(keyOf(repo, number));
      return known !== undefined && isWithin(maxAgeMs, known.readAt, now()) ? known : undefined;
    },
  };
}

export const keyOf = (repo: string, number: number): string => `${repo}#${number}`;
