import { describeChecks } from '@mergexo/core/ci';
import { renderSkipReason } from '@mergexo/core/reasons';
import { hasLabel } from '@mergexo/core/text';
import { buildTurnEvent } from '@mergexo/core/timeline';
import { FeedbackContext, type Turn } from '@mergexo/core/turns';
import type { Pull } from '@mergexo/state';
import { admit, HEAD_UNCLEAR } from '../lifecycle/admit.js';
import { endTurn } from '../lifecycle/end-turn.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { isIgnored } from '../lifecycle/takeover.js';
import { later, type Refreshed } from '../refreshed.js';
import { asksForUpdate } from '../threads/ask-for-update.js';
import { checkHead } from '../threads/check-head.js';
import { dropDistrusted, NOBODY_ALLOWED } from '../threads/drop-distrusted.js';
import { listPull } from '../threads/list-pull.js';
import { hideDistrusted, isAllowedLogin, selectTrusted } from '../threads/select-trusted.js';
import type { Repo } from '../tools.js';
import { findStaleFailures, type Stale } from './find-stale-failures.js';
import { isUnmoved, MOVED, type RefreshTools } from './refresh-tools.js';

/** Rechecks a pull request before the agent starts, because comments, checks, labels or its status may have changed. */
export async function refreshFeedback(
  tools: RefreshTools,
  repo: Repo,
  { turn, pull: seen }: { turn: Turn; pull: Pull },
): Promise<Refreshed> {
  const { state } = tools;
  const { prNumber } = seen;
  const { fullName, labels } = repo.config;
  const { pull: details } = await listPull(tools, repo, { pull: seen, maxAgeMs: tools.recentMs });
  const { headSha, status } = details;
  const head = await checkHead(tools, fullName, { pull: seen, observedSha: headSha });
  const stale =
    head.kind === 'grown'
      ? await findStaleFailures(tools, repo, { pull: seen, turnKey: turn.turnKey, headSha })
      : [];

  return state.transaction((): Refreshed => {
    const now = state.readTurn(turn.turnKey);
    const pull = state.readPull(repo.id, prNumber);
    if (now === undefined || pull === undefined) return FRESH;
    if (!isUnmoved(now, turn)) return MOVED;
    const isTakenOver = hasLabel(details.labels, labels.ignore) || isIgnored(pull);
    const admitted = admit(tools, { pull, turn: now }, { status, isTakenOver, head });
    if (admitted.kind === 'later') return later(HEAD_UNCLEAR);
    if (admitted.kind === 'stopped') return { kind: 'refused', reason: admitted.reason };
    return now.planDigest === null ? renewContext(tools, repo, { pull, turn: now, details, stale }) : FRESH;
  });
}

type PullDetails = Awaited<ReturnType<typeof listPull>>['pull'];

const FRESH: Refreshed = { kind: 'fresh' };

/** Removes outdated events from the turn, and ends the turn if no event is left. Requires a transaction. */
function renewContext(
  tools: RefreshTools,
  repo: Repo,
  { pull, turn, details, stale }: { pull: Pull; turn: Turn; details: PullDetails; stale: readonly Stale[] },
): Refreshed {
  const { state } = tools;
  for (const { event, reason } of stale) {
    state.markEventProcessed(event, tools.now(), reason);
    const payload = { run_id: event.commentId, reason: renderSkipReason(reason) };
    recordEvents(tools, [buildTurnEvent('ci_dropped', turn, payload)]);
  }
  const context = FeedbackContext.parse(state.readTurnContext(turn.turnKey));
  const pending = state
    .listEventsOfFeedbackTurn(turn.turnKey)
    .filter(({ processedAt }) => processedAt === null);
  const left = dropDistrusted(tools, repo, pending);
  const keys = new Set(left.map(({ eventKey }) => eventKey));
  const events = context.events.filter(({ key }) => keys.has(key));
  if (events.length === 0) {
    const reason = explainNothingLeft({
      isDistrusted: pending.length > left.length,
      isStale: stale.length > 0,
    });
    endTurn(tools, turn, { end: 'cancelled', reason });
    return { kind: 'refused', reason };
  }
  const signals: FeedbackContext['signals'] = [
    ...(details.mergeable === false ? (['merge_conflict'] as const) : []),
    ...(details.mergeableState === 'behind' ? (['base_moved'] as const) : []),
  ];
  const isTrusted = selectTrusted(tools, repo, pull);
  const { headSha } = details;
  state.saveTurnContext(turn.turnKey, {
    ...context,
    pull: { ...context.pull, title: details.title, body: details.body },
    issue: hideDistrusted(repo, context.issue),
    headSha,
    events,
    signals,
    checks: describeChecks(pull.checks, headSha),
    reviewComments: context.reviewComments.filter(({ id }) => isTrusted('review', id)),
    conversation: context.conversation.filter(({ id }) => isTrusted('issue', id)),
    issueComments: context.issueComments.filter(({ author }) => isAllowedLogin(repo, author)),
    linked: context.linked.filter(({ author }) => isAllowedLogin(repo, author)),
    update: left.some(asksForUpdate),
  });
  return FRESH;
}

function explainNothingLeft({ isDistrusted, isStale }: { isDistrusted: boolean; isStale: boolean }): string {
  if (isDistrusted) return NOBODY_ALLOWED;
  return isStale ? 'all checks pass now' : 'all its comments were deleted or answered';
}
