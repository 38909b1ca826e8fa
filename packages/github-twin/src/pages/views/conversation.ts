import { locateComment } from '../../domain/place-comment.js';
import { listPullCommits } from '../../domain/pull-commits.js';
import type { CommitInfo } from '../../git/commits.js';
import type { Review, ReviewComment } from '../../store/review-rows.js';
import type { Comment, Issue, PullIssue } from '../../store/rows.js';
import type { RepoPageContext } from '../visit/page-context.js';

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
  ({ repo }: RepoPageContext, issue: Issue): Here =>
  (row) =>
    row.repoId === repo.id && row.number === issue.number;

export function listComments(context: RepoPageContext, issue: Issue): Item[] {
  return context.world.store.comments
    .filter(hereOf(context, issue))
    .map((comment) => ({ kind: 'comment', atMs: comment.bornMs, comment }));
}

/** Everything that happened in a pull request, in the order in which it did. */
export async function listPullItems(
  context: RepoPageContext,
  issue: PullIssue,
  threads: Thread[],
): Promise<Item[]> {
  const reviews = listReviews(context, issue)
    .map((review): Item => {
      const own = threads.filter((thread) => thread.root.reviewId === review.id);
      return { kind: 'review', atMs: review.bornMs, review, threads: own };
    })
    .filter((item) => item.kind !== 'review' || hasContent(item));
  const commits = (await listPullCommits(context.world, context.repo, issue)).map(
    (commit): Item => ({ kind: 'commits', atMs: Date.parse(commit.committer.date), commits: [commit] }),
  );
  const sorted = [...listComments(context, issue), ...reviews, ...commits].sort((a, b) => a.atMs - b.atMs);
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
export function listReviews(context: RepoPageContext, issue: Issue): Review[] {
  const viewer = context.visitor.user?.id;
  return context.world.store.reviews
    .filter(hereOf(context, issue))
    .filter((review) => review.state !== 'PENDING' || review.userId === viewer);
}

export function findPendingReview(context: RepoPageContext, issue: Issue): Review | undefined {
  return listReviews(context, issue).find((review) => review.state === 'PENDING');
}

export async function listThreads(context: RepoPageContext, issue: PullIssue): Promise<Thread[]> {
  const { world, repo } = context;
  const visible = new Set(listReviews(context, issue).map(({ id }) => id));
  const rows = world.store.reviewComments
    .filter(hereOf(context, issue))
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
