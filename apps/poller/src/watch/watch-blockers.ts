import type { IssueBlockers, State } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { inParallel } from '../in-parallel.js';
import { type BlockerTools, refreshBlockers } from '../threads/refresh-blockers.js';
import type { Repo } from '../tools.js';

/** Maximum number of issues whose blockers are listed in one cycle. */
const MAX_LISTS = 10;

/**
 * Lists the blockers of issues that changed, and of issues with a blocker that was closed. Makes no request unless an
 * issue waits for its first turn and GitHub says that other issues block it.
 */
export async function watchBlockers(tools: BlockerTools, repo: Repo): Promise<void> {
  const due = listWaiting(tools.state, repo).filter(({ listedAt }) => listedAt === null);
  await inParallel(due.slice(0, MAX_LISTS), (blocked) => relist(tools, repo, blocked));
}

/**
 * Lists the blockers of the next blocked issue after `last`, because closing a blocker may change no list that the poller
 * reads. Returns the number of the issue; undefined if no issue is blocked.
 */
export async function sweepBlockers(
  tools: BlockerTools,
  repo: Repo,
  last: number,
): Promise<number | undefined> {
  const waiting = listWaiting(tools.state, repo);
  const next = waiting.find(({ issueNumber }) => issueNumber > last) ?? waiting[0];
  if (next === undefined) return undefined;
  await relist(tools, repo, next);
  return next.issueNumber;
}

function listWaiting(state: State, { id }: Repo): IssueBlockers[] {
  const blocked = state.listBlockers(id);
  if (blocked.length === 0) return [];
  const ready = new Set(state.listRuns(id, ['ready']).map(({ issueNumber }) => issueNumber));
  return blocked.filter(({ issueNumber }) => ready.has(issueNumber));
}

async function relist(tools: BlockerTools, repo: Repo, blocked: IssueBlockers): Promise<void> {
  const { issueNumber: number, count } = blocked;
  const message = 'could not list the issues that block another one; MergeXO treats them as open and retries';
  await skipUnreadable(tools.log, { message, issue_number: number }, () =>
    refreshBlockers(tools, repo, { number, count }),
  );
}
