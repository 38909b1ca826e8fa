import { hasLabel, ReviewContext, type Turn } from '@mergexo/core';
import type { Pull } from '@mergexo/state';
import { blockPull } from '../lifecycle/block-pull.js';
import { closePull } from '../lifecycle/close-pull.js';
import { endTurn } from '../lifecycle/end-turn.js';
import { hasPendingFeedback } from '../lifecycle/read-progress.js';
import { isIgnored } from '../lifecycle/takeover.js';
import type { Refreshed } from '../refreshed.js';
import { later } from '../refreshed.js';
import { checkHead, HEAD_UNCLEAR, type HeadCheck } from '../threads/check-head.js';
import { findDismissed } from '../threads/find-dismissed.js';
import { listPull } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { isUnmoved, type RefreshTools } from './refresh-tools.js';

/** Right before the reviewer is asked: only the head that the turn was opened for is worth a review. */
export async function refreshReview(
  tools: RefreshTools,
  repo: Repo,
  turn: Turn,
  seen: Pull,
): Promise<Refreshed> {
  const { state, now } = tools;
  const snapshot = await listPull(tools, repo, seen);
  const { headSha, status } = snapshot.pull;
  const head = await checkHead(tools, repo.config.fullName, seen, headSha);
  const dismissed = await findDismissed(tools, repo, seen, snapshot);
  return state.transaction((): Refreshed => {
    const { labels } = snapshot.issue;
    const entered = enterTurn(tools, repo, turn, { headSha, status, head, labels });
    if (entered.kind !== 'entered') return entered;
    if (turn.planDigest !== null) return { kind: 'fresh' };
    for (const id of dismissed) state.markFindingDismissed(id, now());
    const context = ReviewContext.parse(state.readTurnContext(turn.turnKey));
    const earlier = state.listEarlierFindings(repo.id, seen.prNumber);
    state.saveTurnContext(turn.turnKey, { ...context, earlier });
    return { kind: 'fresh' };
  });
}

type Observed = {
  headSha: string;
  status: 'open' | 'closed' | 'merged';
  head: HeadCheck;
  labels: readonly string[];
};

/** What every turn of the review loop asks for before it begins; whatever is in the way ends it. Inside a transaction. */
export function enterTurn(
  tools: RefreshTools,
  repo: Repo,
  turn: Turn,
  { headSha, status, head, labels }: Observed,
): { kind: 'entered'; turn: Turn; pull: Pull } | Refreshed {
  const { state } = tools;
  const now = state.readTurn(turn.turnKey);
  const pull = turn.prNumber === null ? undefined : state.readPull(repo.id, turn.prNumber);
  if (now === undefined || pull === undefined) return { kind: 'fresh' };
  if (!isUnmoved(now, turn)) return later('the turn moved on meanwhile');
  const stop = (end: 'cancelled' | 'superseded', reason: string): Refreshed => {
    endTurn(tools, now, end, reason);
    return { kind: 'refused', reason };
  };
  if (status !== 'open') {
    closePull(tools, pull.repoId, pull.prNumber, status);
    return { kind: 'refused', reason: `the pull request was ${status}` };
  }
  if (hasLabel(labels, repo.config.labels.ignore) || isIgnored(pull))
    return stop('cancelled', 'a person took it over');
  if (head.kind === 'unclear') return later(HEAD_UNCLEAR);
  if (head.kind === 'blocked') {
    const refused = stop('cancelled', head.block.reason);
    blockPull(tools, pull, head.block);
    return refused;
  }
  if (now.planDigest !== null) return { kind: 'entered', turn: now, pull };
  if (readHead(tools, now) !== headSha) return stop('superseded', `the head is ${headSha} now`);
  if (hasPendingFeedback(tools, repo, pull)) return stop('cancelled', 'feedback of people goes first');
  return { kind: 'entered', turn: now, pull };
}

function readHead({ state }: RefreshTools, { turnKey }: Turn): string {
  return ReviewContext.pick({ headSha: true }).loose().parse(state.readTurnContext(turnKey)).headSha;
}
