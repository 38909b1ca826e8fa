import type { Review } from '@mergexo/github';
import { skipUnreadable } from '../attempt.js';
import { updatePull } from '../lifecycle/update.js';
import { recordRemark } from '../threads/record-remark.js';
import { toReviewRemark } from '../threads/to-remark.js';
import type { Repo } from '../tools.js';
import { sweepBlockers } from './watch-blockers.js';
import { type CheckTools, listSweepable, readForeign } from './watch-checks.js';
import { isListed, UNREADABLE, type WatchTools } from './watch-pulls.js';

type Tools = WatchTools & CheckTools & { sweeps: Sweeps };

type Sweep = { count: number; reviewsPr: number; checksPr: number; blockedIssue: number };

/** The position of each repository's sweep. Resets when the poller restarts. */
export type Sweeps = Map<number, Sweep>;

function readSweep(sweeps: Sweeps, { id }: Repo): Sweep {
  const at = sweeps.get(id) ?? { count: -1, reviewsPr: 0, checksPr: 0, blockedIssue: 0 };
  sweeps.set(id, at);
  return at;
}

/** The parts of a sweep, before the blockers. */
const PARTS = ['reviews', 'check', 'status'] as const;

/**
 * Makes one conditional request per cycle for data that no feed reports: the reviews of one pull request, its late checks
 * from other CI systems, or the blockers of one issue. Cycles through them. The returned function records the reviews.
 */
export async function sweep(tools: Tools, repo: Repo): Promise<() => void> {
  const { sweeps } = tools;
  const at = readSweep(sweeps, repo);
  at.count = (at.count + 1) % (PARTS.length + 1);
  const part = PARTS[at.count];
  if (part === undefined) {
    const swept = await sweepBlockers(tools, repo, at.blockedIssue);
    at.blockedIssue = swept ?? 0;
    if (swept !== undefined) return () => {};
    // Without blocked issues, the next round begins at once, so that the other parts are read as often as possible.
    at.count = 0;
    return sweepReviews(tools, repo);
  }
  const pulls = part === 'reviews' ? [] : listSweepable(tools, repo);
  if (part === 'reviews' || pulls.length === 0) return sweepReviews(tools, repo);
  // Reads the statuses of the pull request whose check runs were read in the previous cycle.
  const isDue = (prNumber: number): boolean =>
    part === 'check' ? prNumber > at.checksPr : prNumber >= at.checksPr;
  const { prNumber } = pulls.find((pull) => isDue(pull.prNumber)) ?? pulls[0] ?? { prNumber: 0 };
  await skipUnreadable(tools.log, { message: UNREADABLE, pr_number: prNumber }, () =>
    readForeign(tools, repo, { prNumber, only: part }),
  );
  at.checksPr = prNumber;
  return () => {};
}

/**
 * Reads the reviews of one pull request per cycle, because GitHub has no feed of reviews. Pull requests take
 * turns. The returned function records the reviews.
 */
async function sweepReviews(tools: Tools, repo: Repo): Promise<() => void> {
  const { state, github, log } = tools;
  const pulls = state.listWatchedPulls(repo.id).filter(isListed);
  const at = readSweep(tools.sweeps, repo);
  const next = pulls.find(({ prNumber }) => prNumber > at.reviewsPr) ?? pulls[0];
  if (next === undefined) return () => {};
  const { prNumber, reviewsEtag } = next;
  const page = await skipUnreadable(log, { message: UNREADABLE, pr_number: prNumber }, () =>
    github.fetchReviews(repo.config.fullName, prNumber, reviewsEtag),
  );
  at.reviewsPr = prNumber;
  return () => {
    if (page?.kind === 'changed') state.transaction(() => record(tools, repo, { prNumber, page }));
  };
}

function record(
  tools: Tools,
  repo: Repo,
  { prNumber, page }: { prNumber: number; page: { rows: readonly Review[]; etag: string | null } },
): void {
  const read = () => tools.state.readPull(repo.id, prNumber);
  const pull = read();
  if (pull === undefined || !isListed(pull)) return;
  for (const review of page.rows) {
    const remark = toReviewRemark(review, prNumber);
    if (remark !== undefined) recordRemark(tools, repo, { remark });
  }
  updatePull(tools, read() ?? pull, { reviewsEtag: page.etag });
}
