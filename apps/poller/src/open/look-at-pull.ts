import type { Config } from '@mergexo/config';
import { findCap } from '@mergexo/core/runs';
import type { Issue, Resolver } from '@mergexo/github';
import type { Pull, Run } from '@mergexo/state';
import { admit, type HeadCheck } from '../lifecycle/admit.js';
import { blockPull } from '../lifecycle/block-pull.js';
import { dismissFindings } from '../lifecycle/review/human-review.js';
import { measureUse } from '../lifecycle/run/measure-use.js';
import { noteTakeovers } from '../lifecycle/takeover.js';
import { checkHead } from '../threads/check-head.js';
import { fetchResolved, findDismissed } from '../threads/find-dismissed.js';
import { type ListTools, listPull, type Snapshot } from '../threads/list-pull.js';
import type { Recent, Repo } from '../tools.js';

export type LookTools = ListTools & Recent & { limits: Config['limits']; windowMs: number };

/** A pull request with all its comments, read right before a turn opens. */
export type Look = {
  seen: Pull;
  snapshot: Snapshot;
  issue: Issue;
  head: HeadCheck;
  /** Comments in resolved threads, each with the account that resolved the thread. */
  resolved: ReadonlyMap<number, Resolver>;
  /** Ids of findings that people dismissed. */
  dismissed: readonly number[];
};

export async function lookAtPull(tools: LookTools, repo: Repo, seen: Pull): Promise<Look> {
  const { fullName } = repo.config;
  const [snapshot, issue] = await Promise.all([
    listPull(tools, repo, { pull: seen, maxAgeMs: tools.recentMs }),
    tools.github.refreshIssue(fullName, seen.issueNumber, tools.recentMs),
  ]);
  const head = await checkHead(tools, fullName, { pull: seen, observedSha: snapshot.pull.headSha });
  const resolved = await fetchResolved(tools, repo, snapshot);
  const dismissed = await findDismissed(tools, repo, { pull: seen, snapshot, resolved });
  return { seen, snapshot, issue, head, resolved, dismissed };
}

/** Checks whether a turn may open; returns undefined if not. Requires a transaction. */
export function enterPull(
  tools: LookTools,
  repo: Repo,
  { seen, snapshot, issue, head, dismissed }: Look,
): { pull: Pull; run: Run } | undefined {
  const { state } = tools;
  const { status } = snapshot.pull;
  const pull = state.readPull(repo.id, seen.prNumber);
  const run = state.readRun(seen.runId);
  if (pull === undefined || run === undefined || pull.status !== 'awaiting_feedback') return undefined;
  const isTakenOver = noteTakeovers(tools, repo, [{ ...snapshot.pull, isPullRequest: true }, issue]);
  if (admit(tools, { pull }, { status, isTakenOver, head }).kind !== 'go') return undefined;
  const cap = findCap(tools.limits, { ...measureUse(tools, repo, run), openRuns: 0, openPulls: 0 });
  if (cap !== undefined) {
    blockPull(tools, pull, { kind: 'cap_reached', reason: `${cap.reason}.` });
    return undefined;
  }
  dismissFindings(tools, dismissed);
  return { pull, run };
}
