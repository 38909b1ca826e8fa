import type { PullRequest } from '@mergexo/github';
import type { Pull } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { closePull, reopenPull } from '../lifecycle/close-pull.js';
import { updatePull } from '../lifecycle/update.js';
import { type ListTools, listPull } from '../threads/list-pull.js';
import { takeInRemark } from '../threads/take-in-remark.js';
import { lineRemark, oldestFirst, reviewRemark } from '../threads/to-remark.js';
import type { Repo } from '../tools.js';
import { checkDocuments } from './check-documents.js';
import { readFeed } from './read-feed.js';

export type WatchTools = ListTools & { overlapMs: number };

/** Two conditional requests, one for the pull requests and one for the comments on their lines, and what they give cause for. */
export async function watchPulls(tools: WatchTools, repo: Repo): Promise<void> {
  const { state, github } = tools;
  if (state.listWatchedPulls(repo.id).length === 0 && state.readFeed(repo.id, 'pulls') === undefined) return;
  await readPulls(tools, repo);
  await readFeed(tools, repo, {
    name: 'review_comments',
    fetch: github.fetchReviewCommentsFeed,
    apply: (rows) => {
      for (const comment of oldestFirst(rows)) {
        const pull = state.readPull(repo.id, comment.pullNumber);
        if (pull !== undefined && isListed(pull))
          takeInRemark(tools, repo, pull.prNumber, lineRemark(comment));
      }
    },
  });
  for (const pull of state.listWatchedPulls(repo.id).filter((other) => other.listedAt === null))
    await readAlone(tools, pull.prNumber, () => listPull(tools, repo, pull));
  await sweepOne(tools, repo);
}

/** False when GitHub could not show the pull request. The others go on. */
async function readAlone(
  { log }: WatchTools,
  prNumber: number,
  work: () => Promise<unknown>,
): Promise<boolean> {
  const about = { message: 'a pull request could not be read', pr_number: prNumber };
  const done = await skipUnreadable(log, about, async () => {
    await work();
    return true;
  });
  return done ?? false;
}

/** Until then every comment is still to come with the complete list. */
export function isListed({ status, listedAt }: Pull): boolean {
  return listedAt !== null && (status === 'awaiting_feedback' || status === 'blocked');
}

async function readPulls(tools: WatchTools, repo: Repo): Promise<void> {
  const { state, github, now } = tools;
  const { etag } = state.readFeed(repo.id, 'pulls') ?? { etag: null };
  const page = await github.fetchPullsFeed(repo.config.fullName, { etag });
  if (page.kind === 'unchanged') return;
  const open = new Map(page.rows.map((row) => [row.number, row]));
  let complete = true;
  let agreed = true;
  for (const row of page.rows) {
    const look = async (): Promise<void> => {
      agreed = (await reopen(tools, repo, row.number)) && agreed;
      await checkDocuments(tools, repo, row);
    };
    complete = (await readAlone(tools, row.number, look)) && complete;
  }
  for (const pull of state.listWatchedPulls(repo.id)) {
    const follow = async (): Promise<void> => {
      agreed = (await followPull(tools, repo, pull, open.get(pull.prNumber))) && agreed;
    };
    complete = (await readAlone(tools, pull.prNumber, follow)) && complete;
  }
  // Last, so that a crash in between, or one that could not be read, makes us read it all again.
  if (complete && agreed)
    state.transaction(() => state.saveFeed(repo.id, 'pulls', { cursor: null, etag: page.etag }, now()));
}

/**
 * One that is not among the open ones may be closed, or have slipped between two pages. False when it is shown as open all
 * the same: one of the two is stale.
 */
async function followPull(
  tools: WatchTools,
  repo: Repo,
  pull: Pull,
  listed: PullRequest | undefined,
): Promise<boolean> {
  const { state, github } = tools;
  const row = listed ?? (await github.fetchPull(repo.config.fullName, pull.prNumber));
  const { status } = row;
  if (status !== 'open') {
    state.transaction(() => closePull(tools, repo.id, pull.prNumber, status));
    return true;
  }
  const isAgreed = listed !== undefined;
  if (row.updatedAt === pull.remoteUpdatedAt) return isAgreed;
  await readReviews(tools, repo, pull);
  state.transaction(() => {
    const known = state.readPull(repo.id, pull.prNumber) ?? pull;
    updatePull(tools, known, { headSha: row.headSha, remoteUpdatedAt: row.updatedAt });
  });
  return isAgreed;
}

/**
 * Closed by mistake, and opened again: the work goes on where it was. A list may be stale, so it is asked for alone; so may
 * that answer be. False when they do not agree.
 */
async function reopen(tools: WatchTools, repo: Repo, prNumber: number): Promise<boolean> {
  const { state, github } = tools;
  if (state.readPull(repo.id, prNumber)?.status !== 'closed') return true;
  const { status } = await github.fetchPull(repo.config.fullName, prNumber);
  if (status === 'open') state.transaction(() => reopenPull(tools, repo.id, prNumber));
  return status === 'open';
}

async function readReviews(tools: WatchTools, repo: Repo, pull: Pull): Promise<void> {
  const { state, github } = tools;
  if (!isListed(pull)) return;
  const thread = pull.prNumber;
  const page = await github.fetchReviews(repo.config.fullName, thread, pull.reviewsEtag);
  if (page.kind === 'unchanged') return;
  state.transaction(() => {
    for (const review of page.rows) {
      const remark = reviewRemark(review, thread);
      if (remark !== undefined) takeInRemark(tools, repo, thread, remark);
    }
    const known = state.readPull(repo.id, thread) ?? pull;
    updatePull(tools, known, { reviewsEtag: page.etag });
  });
}

/** Reviews have no feed; besides those of changed pull requests, each one's are looked at in turn. */
async function sweepOne(tools: WatchTools, repo: Repo): Promise<void> {
  const { state } = tools;
  const pulls = state.listWatchedPulls(repo.id).filter(isListed);
  const last = state.readRepoWatch(repo.id)?.reviewsSweptPr ?? 0;
  const next = pulls.find(({ prNumber }) => prNumber > last) ?? pulls[0];
  if (next === undefined) return;
  await readAlone(tools, next.prNumber, () => readReviews(tools, repo, next));
  state.transaction(() => state.saveRepoWatch(repo.id, { reviewsSweptPr: next.prNumber }));
}
