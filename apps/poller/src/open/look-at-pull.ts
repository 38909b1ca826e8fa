import type { Config } from '@mergexo/config';
import { findCap } from '@mergexo/core/runs';
import { computeTurnKey, openTurn, type Turn } from '@mergexo/core/turns';
import type { Issue } from '@mergexo/github';
import type { Pull, Run } from '@mergexo/state';
import type { HeadCheck } from '../lifecycle/admit.js';
import { admit } from '../lifecycle/admit.js';
import { blockPull } from '../lifecycle/block-pull.js';
import { dismissFindings } from '../lifecycle/review/human-review.js';
import { measureUse } from '../lifecycle/run/measure-use.js';
import { noteTakeovers } from '../lifecycle/takeover.js';
import { checkHead } from '../threads/check-head.js';
import { findDismissed } from '../threads/find-dismissed.js';
import { type ListTools, listPull, type Snapshot } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';

export type LookTools = ListTools & { limits: Config['limits']; windowMs: number };

/** A pull request with all that is said on it, as it is right before a turn opens. */
export type Look = {
  snapshot: Snapshot;
  issue: Issue;
  head: HeadCheck;
  /** Findings that people took back. */
  dismissed: readonly number[];
};

export async function lookAtPull(tools: LookTools, repo: Repo, seen: Pull): Promise<Look> {
  const { fullName } = repo.config;
  const snapshot = await listPull(tools, repo, seen);
  const issue = await tools.github.fetchIssue(fullName, seen.issueNumber);
  const head = await checkHead(tools, fullName, seen, snapshot.pull.headSha);
  return { snapshot, issue, head, dismissed: await findDismissed(tools, repo, seen, snapshot) };
}

/** Undefined where no turn may open now. Inside a transaction. */
export function enterPull(
  tools: LookTools,
  repo: Repo,
  seen: Pull,
  { snapshot, issue, head, dismissed }: Look,
): { pull: Pull; run: Run } | undefined {
  const { state } = tools;
  const { status } = snapshot.pull;
  const pull = state.readPull(repo.id, seen.prNumber);
  const run = state.readRun(seen.runId);
  if (pull === undefined || run === undefined || pull.status !== 'awaiting_feedback') return undefined;
  const isTakenOver = noteTakeovers(tools, repo, [snapshot.issue, issue]);
  if (admit(tools, { pull }, { status, isTakenOver, head }).kind !== 'go') return undefined;
  const cap = findCap(tools.limits, { ...measureUse(tools, repo, run), openRuns: 0, openPulls: 0 });
  if (cap !== undefined) {
    blockPull(tools, pull, { kind: 'cap_reached', reason: `${cap.reason}.` });
    return undefined;
  }
  dismissFindings(tools, dismissed);
  return { pull, run };
}

/** Told apart by the head and the cycle: a head is reviewed once, and a cycle has one fix. */
export function buildTurn(
  { state, now }: Pick<LookTools, 'state' | 'now'>,
  { repoId, runId, issueNumber, prNumber }: Pull,
  { kind, headSha, cycle }: { kind: 'review' | 'review_fix'; headSha: string; cycle: number },
): Turn {
  const earlier = state.listTurnsOfRun(runId).filter((turn) => turn.prNumber === prNumber);
  const turnKey = computeTurnKey({
    kind,
    repoId,
    number: prNumber,
    discriminator: [headSha, cycle],
    unfinishedBefore: earlier.filter((turn) => turn.state !== 'done').length,
  });
  return openTurn({ turnKey, repoId, runId, kind, issueNumber, prNumber, openedAt: now() });
}
