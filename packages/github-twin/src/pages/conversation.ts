import { locateComment } from '../domain/place-comment.js';
import { listPullCommits } from '../domain/pull-commits.js';
import type { CommitInfo } from '../git/commits.js';
import type { Review, ReviewComment } from '../store/review-rows.js';
import type { Comment, Issue, PullIssue } from '../store/rows.js';
import type { RepoSight } from './sight.js';

export type Thread = {
  root: ReviewComment;
  /** What the visitor can see of it, in order. */
  comments: ReviewComment[];
  /** Where it stands in today's diff; null when it is outdated. */
  line: number | null;
};

export type Item =
  | { kind: 'comment'; atMs: number; comment: Comment }
  | { kind: 'review'; atMs: number; review: Review; threads: Thread[] }
  | { kind: 'commits'; atMs: number; commits: CommitInfo[] };

type Here = (row: { repoId: number; number: number }) => boolean;
const hereOf =
  ({ repo }: RepoSight, issue: Issue): Here =>
  (row) =>
    row.repoId === repo.id && row.number === issue.number;

export function listComments(sight: RepoSight, issue: Issue): Item[] {
  return sight.world.store.comments
    .filter(hereOf(sight, issue))
    .map((comment) => ({ kind: 'comment', atMs: comment.bornMs, comment }));
}

/** Everything that happened in a pull request, in the order in which it did. */
export async function listPullItems(sight: RepoSight, issue: PullIssue, threads: Thread[]): Promise<Item[]> {
  const reviews = listReviews(sight, issue)
    .map((review): Item => {
      const own = threads.filter((thread) => thread.root.reviewId === review.id);
      return { kind: 'review', atMs: review.bornMs, review, threads: own };
    })
    .filter((item) => item.kind !== 'review' || hasContent(item));
  const commits = (await listPullCommits(sight.world, sight.repo, issue)).map(
    (commit): Item => ({ kind: 'commits', atMs: Date.parse(commit.committer.date), commits: [commit] }),
  );
  const sorted = [...listComments(sight, issue), ...reviews, ...commits].sort((a, b) => a.atMs - b.atMs);
  return gatherCommits(sorted);
}

/** A review that holds nothing but replies is told by the threads that it replied to. */
function hasContent({ review, threads }: Extract<Item, { kind: 'review' }>): boolean {
  const verdict = review.state !== 'COMMENTED' && review.state !== 'PENDING';
  return verdict || review.body.trim() !== '' || threads.length > 0;
}

function gatherCommits(items: Item[]): Item[] {
  const done: Item[] = [];
  for (const item of items) {
    const last = done.at(-1);
    if (item.kind === 'commits' && last?.kind === 'commits') last.commits.push(...item.commits);
    else done.push(item);
  }
  return done;
}

/** What waits in somebody's unfinished review is for that person alone. */
export function listReviews(sight: RepoSight, issue: Issue): Review[] {
  const viewer = sight.visitor.user?.id;
  return sight.world.store.reviews
    .filter(hereOf(sight, issue))
    .filter((review) => review.state !== 'PENDING' || review.userId === viewer);
}

export function findPendingReview(sight: RepoSight, issue: Issue): Review | undefined {
  return listReviews(sight, issue).find((review) => review.state === 'PENDING');
}

export async function listThreads(sight: RepoSight, issue: PullIssue): Promise<Thread[]> {
  const { world, repo } = sight;
  const visible = new Set(listReviews(sight, issue).map(({ id }) => id));
  const rows = world.store.reviewComments
    .filter(hereOf(sight, issue))
    .filter((row) => visible.has(row.reviewId));
  const roots = rows.filter((row) => row.inReplyToId === null);
  const threads = await Promise.all(
    roots.map(async (root): Promise<Thread> => {
      const comments = rows.filter(
        (row) => !row.deleted && (row.id === root.id || row.inReplyToId === root.id),
      );
      const { line } = await locateComment(world, repo, issue, root.place);
      return { root, comments, line };
    }),
  );
  return threads.filter(({ comments }) => comments.length > 0);
}

/** Whoever looks at a page sees it at a certain state: the same form sent twice from there is sent once. */
export function lastSaid(sight: RepoSight, issue: Issue): string {
  const { comments, reviewComments, reviews } = sight.world.store;
  const ids = [comments, reviewComments, reviews].map(
    (table) => table.filter(hereOf(sight, issue)).at(-1)?.id ?? 0,
  );
  return String(Math.max(...ids));
}
