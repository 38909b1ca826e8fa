import { hasLabel } from '@mergexo/core/text';
import { ReviewContext, type Turn } from '@mergexo/core/turns';
import type { Pull } from '@mergexo/state';
import type { HeadCheck } from '../lifecycle/admit.js';
import { admit, HEAD_UNCLEAR } from '../lifecycle/admit.js';
import { endTurn } from '../lifecycle/end-turn.js';
import { dismissFindings } from '../lifecycle/review/human-review.js';
import { hasPendingFeedback } from '../lifecycle/review/read-progress.js';
import { isIgnored } from '../lifecycle/takeover.js';
import type { Refreshed } from '../refreshed.js';
import { later } from '../refreshed.js';
import { checkHead } from '../threads/check-head.js';
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
  const { state } = tools;
  const snapshot = await listPull(tools, repo, seen);
  const { headSha, status } = snapshot.pull;
  const head = await checkHead(tools, repo.config.fullName, seen, headSha);
  const dismissed = await findDismissed(tools, repo, seen, snapshot);
  return state.transaction((): Refreshed => {
    const { labels } = snapshot.issue;
    const entered = enterTurn(tools, repo, turn, { headSha, status, head, labels });
    if (entered.kind !== 'entered') return entered;
    if (turn.planDigest !== null) return { kind: 'fresh' };
    dismissFindings(tools, dismissed);
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
  const isTakenOver = hasLabel(labels, repo.config.labels.ignore) || isIgnored(pull);
  const admitted = admit(tools, { pull, turn: now }, { status, isTakenOver, head });
  if (admitted.kind === 'later') return later(HEAD_UNCLEAR);
  if (admitted.kind === 'stopped') return { kind: 'refused', reason: admitted.reason };
  if (now.planDigest !== null) return { kind: 'entered', turn: now, pull };
  if (readHead(tools, now) !== headSha) return stop('superseded', `the head is ${headSha} now`);
  if (hasPendingFeedback(tools, repo, pull)) return stop('cancelled', 'feedback of people goes first');
  return { kind: 'entered', turn: now, pull };
}

function readHead({ state }: RefreshTools, { turnKey }: Turn): string {
  return ReviewContext.pick({ headSha: true }).loose().parse(state.readTurnContext(turnKey)).headSha;
}
