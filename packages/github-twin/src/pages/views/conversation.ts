import { inThread } from '../../domain/issues.js';
import { locateComment } from '../../domain/place-comment.js';
import { type CommitInfo, listPullCommits } from '../../git/commits.js';
import type { Comment, Issue, PullIssue, Review, ReviewComment } from '../../store/rows.js';
import type { RepoPageContext } from '../parts/page-context.js';

export type Thread = {
  root: ReviewComment;
  /** Comments that the visitor can see, in order. */
  comments: ReviewComment[];
  /** The line in the current diff, or null for an outdated comment. */
  line: number | null;
};

export type ReviewItem = { kind: 'review'; atMs: number; review: Review; threads: Thread[] };

export type Item =
  | { kind: 'comment'; atMs: number; comment: Comment }
  | ReviewItem
  | { kind: 'commit'; atMs: number; commit: CommitInfo };

export function listComments(context: RepoPageContext, issue: Issue): Item[] {
  return context.world.store.comments
    .filter(inThread(issue))
    .map((comment) => ({ kind: 'comment', atMs: comment.createdMs, comment }));
}

/** Lists all events of a pull request, oldest first. */
export async function listPullItems(context: RepoPageContext, issue: PullIssue): Promise<Item[]> {
  const threads = await listThreads(context, issue);
  const { world, repo } = context;
  const reviews = listReviews(context, issue)
    .map((review): ReviewItem => {
      const own = threads.filter((thread) => thread.root.reviewId === review.id);
      return { kind: 'review', atMs: review.createdMs, review, threads: own };
    })
    .filter(hasContent);
  const commits = (await listPullCommits(world.gitRepo(repo).dir, issue.pull)).map(
    (commit): Item => ({ kind: 'commit', atMs: Date.parse(commit.committer.date), commit }),
  );
  return [...listComments(context, issue), ...reviews, ...commits].sort((a, b) => a.atMs - b.atMs);
}

/** False for a review that contains only replies, because replies are displayed in their threads. */
function hasContent({ review, threads }: ReviewItem): boolean {
  const verdict = review.state !== 'COMMENTED' && review.state !== 'PENDING';
  return verdict || review.body.trim() !== '' || threads.length > 0;
}

/** Lists the reviews that the visitor can see. Only the author sees a pending review. */
export function listReviews(context: RepoPageContext, issue: Issue): Review[] {
  const viewer = context.visitor?.id;
  return context.world.store.reviews
    .filter(inThread(issue))
    .filter((review) => review.state !== 'PENDING' || review.userId === viewer);
}

export function findPendingReview(context: RepoPageContext, issue: Issue): Review | undefined {
  return listReviews(context, issue).find((review) => review.state === 'PENDING');
}

export async function listThreads(context: RepoPageContext, issue: PullIssue): Promise<Thread[]> {
  const { world } = context;
  const visible = new Set(listReviews(context, issue).map(({ id }) => id));
  const rows = world.store.reviewComments.filter(inThread(issue)).filter((row) => visible.has(row.reviewId));
  const roots = rows.filter((row) => row.inReplyToId === null);
  const threads = await Promise.all(
    roots.map(async (root): Promise<Thread> => {
      const comments = rows.filter(
        (row) => !row.deleted && (row.id === root.id || row.inReplyToId === root.id),
      );
      const { line } = await locateComment(context, issue, root.place);
      return { root, comments, line };
    }),
  );
  return threads.filter(({ comments }) => comments.length > 0);
}
