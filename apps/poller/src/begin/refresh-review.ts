import { describeChecks } from '@mergexo/core/ci';
import { hasLabel } from '@mergexo/core/text';
import { ReviewContext, type Turn } from '@mergexo/core/turns';
import type { Pull } from '@mergexo/state';
import { admit, HEAD_UNCLEAR, type HeadCheck } from '../lifecycle/admit.js';
import { endTurn } from '../lifecycle/end-turn.js';
import { readPullOf } from '../lifecycle/read-pull-of.js';
import { dismissFindings } from '../lifecycle/review/human-review.js';
import { hasPendingFeedback } from '../lifecycle/review/read-progress.js';
import { isIgnored } from '../lifecycle/takeover.js';
import { later, type Refreshed } from '../refreshed.js';
import { checkHead } from '../threads/check-head.js';
import { fetchResolved, findDismissed } from '../threads/find-dismissed.js';
import { listPull } from '../threads/list-pull.js';
import { readDiscussion } from '../threads/read-discussion.js';
import { hideDistrusted, isAllowedLogin } from '../threads/select-trusted.js';
import type { Repo } from '../tools.js';
import { isUnmoved, MOVED, type RefreshTools } from './refresh-tools.js';

/**
 * Before the reviewer starts, checks that the head has not changed since the turn was opened, and renews the checks and
 * the discussion.
 */
export async function refreshReview(
  tools: RefreshTools,
  repo: Repo,
  { turn, pull: seen }: { turn: Turn; pull: Pull },
): Promise<Refreshed> {
  const { state } = tools;
  const snapshot = await listPull(tools, repo, { pull: seen, maxAgeMs: tools.recentMs });
  const { headSha, status } = snapshot.pull;
  const head = await checkHead(tools, repo.config.fullName, { pull: seen, observedSha: headSha });
  const resolved = await fetchResolved(tools, repo, snapshot);
  const dismissed = await findDismissed(tools, repo, { pull: seen, snapshot, resolved });
  return state.transaction((): Refreshed => {
    const { labels } = snapshot.pull;
    const entered = enterTurn(tools, repo, { turn, headSha, status, head, labels });
    if (entered.kind !== 'entered') return entered;
    if (turn.planDigest !== null) return { kind: 'fresh' };
    dismissFindings(tools, dismissed);
    const context = ReviewContext.parse(state.readTurnContext(turn.turnKey));
    const earlier = state.listEarlierFindings(repo.id, seen.prNumber);
    const discussion = readDiscussion(tools, repo, { pull: seen, snapshot, resolved });
    const linked = context.linked.filter(({ author }) => isAllowedLogin(repo, author));
    const checks = describeChecks(entered.pull.checks, headSha);
    const issue = hideDistrusted(repo, context.issue);
    state.saveTurnContext(turn.turnKey, { ...context, issue, earlier, discussion, linked, checks });
    return { kind: 'fresh' };
  });
}

type Observed = {
  headSha: string;
  status: 'open' | 'closed' | 'merged';
  head: HeadCheck;
  labels: readonly string[];
};

/** Runs the checks that reviews and fixes share. A failed check ends or delays the turn. Requires a transaction. */
export function enterTurn(
  tools: RefreshTools,
  repo: Repo,
  { turn, headSha, status, head, labels }: Observed & { turn: Turn },
): { kind: 'entered'; turn: Turn; pull: Pull } | Refreshed {
  const { state } = tools;
  const now = state.readTurn(turn.turnKey);
  const pull = readPullOf(state, turn);
  if (now === undefined || pull === undefined) return { kind: 'fresh' };
  if (!isUnmoved(now, turn)) return MOVED;
  const stop = (end: 'cancelled' | 'superseded', reason: string): Refreshed => {
    endTurn(tools, now, { end, reason });
    return { kind: 'refused', reason };
  };
  const isTakenOver = hasLabel(labels, repo.config.labels.ignore) || isIgnored(pull);
  const admitted = admit(tools, { pull, turn: now }, { status, isTakenOver, head });
  if (admitted.kind === 'later') return later(HEAD_UNCLEAR);
  if (admitted.kind === 'stopped') return { kind: 'refused', reason: admitted.reason };
  if (now.planDigest !== null) return { kind: 'entered', turn: now, pull };
  if (readHead(tools, now) !== headSha) return stop('superseded', `the head is now ${headSha}`);
  if (hasPendingFeedback(tools, repo, pull)) return stop('cancelled', "people's feedback goes first");
  return { kind: 'entered', turn: now, pull };
}

function readHead({ state }: RefreshTools, { turnKey }: Turn): string {
  return ReviewContext.pick({ headSha: true }).loose().parse(state.readTurnContext(turnKey)).headSha;
}
