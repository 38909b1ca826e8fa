import type { PullRequest } from '@mergexo/github';
import type { Pull } from '@mergexo/state';
import { readFeed } from '../intake/read-feed.js';
import { recordEvents } from '../record-events.js';
import type { Repo } from '../repo.js';
import { closePull } from './close-pull.js';
import { type ListTools, listPull } from './list-pull.js';
import { takeInRemark } from './take-in-remark.js';
import { lineRemark, oldestFirst, reviewRemark } from './to-remark.js';

export type WatchTools = ListTools & { overlapMs: number };

const PULLS = 'pulls';

/** Two conditional requests, one for the pull requests and one for the comments on their lines, and what they give cause for. */
export async function watchPulls(tools: WatchTools, repo: Repo): Promise<void> {
  const { state, github } = tools;
  if (state.listWatchedPulls(repo.id).length === 0 && state.readCursor(repo.id, PULLS) === undefined) return;
  await readPulls(tools, repo);
  await readFeed(tools, repo, {
    name: 'review_comments',
    fetch: github.fetchReviewCommentsFeed,
    apply: (rows) => {
      for (const comment of oldestFirst(rows)) {
        const pull = state.readPull(repo.id, comment.pullNumber);
        if (pull !== undefined && isListed(pull)) takeInRemark(tools, repo, pull, lineRemark(comment));
      }
    },
  });
  for (const pull of state.listWatchedPulls(repo.id).filter((other) => other.listedAt === null))
    await listPull(tools, repo, pull);
  await sweepOne(tools, repo);
}

/** Until then every comment is still to come with the complete list. */
export function isListed({ status, listedAt }: Pull): boolean {
  return listedAt !== null && (status === 'awaiting_feedback' || status === 'blocked');
}

async function readPulls(tools: WatchTools, repo: Repo): Promise<void> {
  const { state, github, now } = tools;
  const { etag } = state.readCursor(repo.id, PULLS) ?? { etag: null };
  const page = await github.fetchPullsFeed(repo.config.fullName, { etag });
  if (page.kind === 'unchanged') return;
  const open = new Map(page.rows.map((row) => [row.number, row]));
  for (const row of page.rows) reopen(tools, repo, row);
  for (const pull of state.listWatchedPulls(repo.id)) {
    const row = open.get(pull.prNumber) ?? (await github.fetchPull(repo.config.fullName, pull.prNumber));
    if (row.status !== 'open') {
      const { status } = row;
      state.transaction(() => closePull(tools, state.readPull(repo.id, pull.prNumber) ?? pull, status));
    } else if (row.updatedAt !== pull.remoteUpdatedAt) {
      await readReviews(tools, repo, pull);
      state.transaction(() => {
        const known = state.readPull(repo.id, pull.prNumber) ?? pull;
        state.savePull({ ...known, headSha: row.headSha, remoteUpdatedAt: row.updatedAt }, now());
      });
    }
  }
  // Last, so that a crash in between reads it all again.
  state.transaction(() => state.saveCursor(repo.id, PULLS, { cursor: null, etag: page.etag }, now()));
}

/** Closed by mistake, and opened again: the work goes on. */
function reopen(tools: WatchTools, repo: Repo, row: PullRequest): void {
  const { state, now } = tools;
  const pull = state.readPull(repo.id, row.number);
  if (pull?.status !== 'closed') return;
  state.transaction(() => {
    state.savePull({ ...pull, status: 'awaiting_feedback', listedAt: null }, now());
    const run = state.readRun(pull.runId);
    if (run !== undefined) state.saveRun({ ...run, status: 'awaiting_feedback' }, now());
    const { repoId, runId, issueNumber, prNumber } = pull;
    recordEvents(tools, [{ type: 'pull_reopened', repoId, runId, issueNumber, prNumber }]);
  });
}

async function readReviews(tools: WatchTools, repo: Repo, pull: Pull): Promise<void> {
  const { state, github, now } = tools;
  if (!isListed(pull)) return;
  const thread = pull.prNumber;
  const page = await github.fetchReviews(repo.config.fullName, thread, pull.reviewsEtag);
  if (page.kind === 'unchanged') return;
  state.transaction(() => {
    for (const review of page.rows) {
      const remark = reviewRemark(review, thread);
      const known = state.readPull(repo.id, thread) ?? pull;
      if (remark !== undefined) takeInRemark(tools, repo, known, remark);
    }
    const known = state.readPull(repo.id, thread) ?? pull;
    state.savePull({ ...known, reviewsEtag: page.etag }, now());
  });
}

/** Reviews have no feed; besides those of changed pull requests, each one's are looked at in turn. */
async function sweepOne(tools: WatchTools, repo: Repo): Promise<void> {
  const { state, now } = tools;
  const pulls = state.listWatchedPulls(repo.id).filter(isListed);
  const { cursor } = state.readCursor(repo.id, 'review_sweep') ?? { cursor: null };
  const next = pulls.find(({ prNumber }) => prNumber > Number(cursor ?? 0)) ?? pulls[0];
  if (next === undefined) return;
  await readReviews(tools, repo, next);
  state.transaction(() =>
    state.saveCursor(repo.id, 'review_sweep', { cursor: String(next.prNumber), etag: null }, now()),
  );
}
