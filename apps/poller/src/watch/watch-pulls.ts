import type { PullRequest } from '@mergexo/github';
import type { Pull } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { inParallel } from '../in-parallel.js';
import { closePull, reopenPull } from '../lifecycle/close-pull.js';
import { updatePull } from '../lifecycle/update.js';
import { type ListTools, listPull } from '../threads/list-pull.js';
import { recordRemark } from '../threads/record-remark.js';
import { oldestFirst, toLineRemark } from '../threads/to-remark.js';
import type { Repo } from '../tools.js';
import { checkDocuments } from './check-documents.js';
import { fetchFeed } from './read-feed.js';

export const UNREADABLE = 'could not read a pull request; MergeXO retries in the next cycle';

export type WatchTools = ListTools & { overlapMs: number };

/**
 * Makes two conditional requests, for pull requests and line comments, and more only for changed pull requests. The
 * returned function records the changes.
 */
export async function fetchPulls(tools: WatchTools, repo: Repo): Promise<() => Promise<void>> {
  const { state, github } = tools;
  if (state.listWatchedPulls(repo.id).length === 0 && state.readFeed(repo.id, 'pulls') === undefined)
    return async () => {};
  const { etag } = state.readFeed(repo.id, 'pulls') ?? { etag: null };
  const [page, recordLines] = await Promise.all([
    github.fetchPullsFeed(repo.config.fullName, { etag }),
    fetchFeed(tools, repo, {
      name: 'review_comments',
      fetch: github.fetchReviewCommentsFeed,
      apply: (rows) => {
        for (const comment of oldestFirst(rows)) {
          const pull = state.readPull(repo.id, comment.pullNumber);
          if (pull !== undefined && isListed(pull))
            recordRemark(tools, repo, { remark: toLineRemark(comment) });
        }
      },
    }),
  ]);
  return async () => {
    if (page.kind === 'changed') await readPulls(tools, repo, page);
    // Records line comments after the reviews, so that each review is recorded with all its comments.
    recordLines();
    const unlisted = state.listWatchedPulls(repo.id).filter((pull) => pull.listedAt === null);
    await inParallel(unlisted, (pull) =>
      readAlone(tools, pull.prNumber, () => listPull(tools, repo, { pull })),
    );
  };
}

/** Runs work on one pull request. Returns false if GitHub cannot return the pull request. */
async function readAlone(
  { log }: WatchTools,
  prNumber: number,
  work: () => Promise<unknown>,
): Promise<boolean> {
  const done = await skipUnreadable(log, { message: UNREADABLE, pr_number: prNumber }, async () => {
    await work();
    return true;
  });
  return done ?? false;
}

/** True for an open pull request after its first complete read, which records all earlier comments. */
export function isListed({ status, listedAt }: Pull): boolean {
  return listedAt !== null && (status === 'awaiting_feedback' || status === 'blocked');
}

async function readPulls(
  tools: WatchTools,
  repo: Repo,
  page: { rows: readonly PullRequest[]; etag: string | null },
): Promise<void> {
  const { state, now } = tools;
  const open = new Map(page.rows.map((row) => [row.number, row]));
  let complete = true;
  let agreed = true;
  const note = async (prNumber: number, work: () => Promise<boolean>): Promise<void> => {
    const read = await readAlone(tools, prNumber, async () => {
      agreed = (await work()) && agreed;
    });
    complete &&= read;
  };
  await inParallel(page.rows, (row) =>
    note(row.number, async () => {
      const isAgreed = await reopen(tools, repo, row.number);
      await checkDocuments(tools, repo, row);
      return isAgreed;
    }),
  );
  await inParallel(state.listWatchedPulls(repo.id), (pull) =>
    note(pull.prNumber, () => followPull(tools, repo, { pull, listed: open.get(pull.prNumber) })),
  );
  // Saves the ETag last, so that after a crash or a failed read the next cycle reads the list again.
  if (complete && agreed)
    state.transaction(() =>
      state.saveFeed({ repoId: repo.id, name: 'pulls', cursor: null, etag: page.etag }, now()),
    );
}

/**
 * Applies the changes to one pull request. A pull request that is missing from the list may be closed, or may have
 * moved between two pages. Returns false if the next cycle must read it again: one of the responses is stale, or the
 * change is so recent that a review from the same second may be missing.
 */
async function followPull(
  tools: WatchTools,
  repo: Repo,
  { pull, listed }: { pull: Pull; listed: PullRequest | undefined },
): Promise<boolean> {
  const { state, github } = tools;
  const row = listed ?? (await github.fetchPull(repo.config.fullName, pull.prNumber));
  const { status } = row;
  if (status !== 'open') {
    state.transaction(() => closePull(tools, pull, status));
    return true;
  }
  const isAgreed = listed !== undefined;
  if (row.updatedAt === pull.remoteUpdatedAt) return isAgreed;
  if (!isListed(pull)) {
    state.transaction(() => {
      const known = state.readPull(repo.id, pull.prNumber) ?? pull;
      updatePull(tools, known, { headSha: row.headSha });
    });
    return isAgreed;
  }
  // The pull request is read again after the takeover of its issue ends. Otherwise later comments would count as made
  // during the takeover.
  if (pull.issueIgnoredSince !== null) return false;
  await listPull(tools, repo, { pull });
  const isComplete = state.readPull(repo.id, pull.prNumber)?.remoteUpdatedAt === row.updatedAt;
  return isAgreed && isComplete;
}

/**
 * Resumes work on a reopened pull request. Reads the pull request itself, because the list may be stale. Returns false
 * if the two responses disagree.
 */
async function reopen(tools: WatchTools, repo: Repo, prNumber: number): Promise<boolean> {
  const { state, github } = tools;
  if (state.readPull(repo.id, prNumber)?.status !== 'closed') return true;
  const { status } = await github.fetchPull(repo.config.fullName, prNumber);
  if (status === 'open') state.transaction(() => reopenPull(tools, repo.id, prNumber));
  return status === 'open';
}
