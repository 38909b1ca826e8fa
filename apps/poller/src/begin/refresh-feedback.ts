import { describeChecks } from '@mergexo/core/ci';
import { hasLabel } from '@mergexo/core/text';
import { buildTurnEvent } from '@mergexo/core/timeline';
import { FeedbackContext, type Turn } from '@mergexo/core/turns';
import type { Pull } from '@mergexo/state';
import { admit, HEAD_UNCLEAR } from '../lifecycle/admit.js';
import { endTurn } from '../lifecycle/end-turn.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { isIgnored } from '../lifecycle/takeover.js';
import type { Refreshed } from '../refreshed.js';
import { later } from '../refreshed.js';
import { asksForUpdate } from '../threads/ask-for-update.js';
import { checkHead } from '../threads/check-head.js';
import { dropDistrusted, NOBODY_ALLOWED } from '../threads/drop-distrusted.js';
import { listPull } from '../threads/list-pull.js';
import { selectTrusted } from '../threads/select-trusted.js';
import type { Repo } from '../tools.js';
import { findStaleFailures } from './find-stale-failures.js';
import { isUnmoved, type RefreshTools } from './refresh-tools.js';

/** Comments may be edited or deleted since, checks may be green, the pull request closed or taken over. */
export async function refreshFeedback(
  tools: RefreshTools,
  repo: Repo,
  turn: Turn,
  seen: Pull,
): Promise<Refreshed> {
  const { state } = tools;
  const { prNumber } = seen;
  const { fullName, labels } = repo.config;
  const { pull: details, issue } = await listPull(tools, repo, seen);
  const { headSha, status } = details;
  const head = await checkHead(tools, fullName, seen, headSha);
  const stale =
    head.kind === 'grown'
      ? await findStaleFailures(tools, repo, { pull: seen, turnKey: turn.turnKey, headSha })
      : [];

  return state.transaction((): Refreshed => {
    const now = state.readTurn(turn.turnKey);
    const pull = state.readPull(repo.id, prNumber);
    if (now === undefined || pull === undefined) return { kind: 'fresh' };
    if (!isUnmoved(now, turn)) return later('the turn moved on meanwhile');
    const stop = (reason: string): Refreshed => {
      endTurn(tools, now, 'cancelled', reason);
      return { kind: 'refused', reason };
    };
    const isTakenOver = hasLabel(issue.labels, labels.ignore) || isIgnored(pull);
    const admitted = admit(tools, { pull, turn: now }, { status, isTakenOver, head });
    if (admitted.kind === 'later') return later(HEAD_UNCLEAR);
    if (admitted.kind === 'stopped') return { kind: 'refused', reason: admitted.reason };
    if (now.planDigest !== null) return { kind: 'fresh' };
    for (const { event, reason } of stale) {
      state.markEventProcessed(event, tools.now(), reason);
      recordEvents(tools, [buildTurnEvent('ci_dropped', now, { run_id: event.commentId, reason })]);
    }
    const context = FeedbackContext.parse(state.readTurnContext(turn.turnKey));
    const pending = state
      .listEventsOfFeedbackTurn(turn.turnKey)
      .filter(({ processedAt }) => processedAt === null);
    const left = dropDistrusted(tools, repo, pending);
    const keys = new Set(left.map(({ eventKey }) => eventKey));
    const events = context.events.filter(({ key }) => keys.has(key));
    if (events.length === 0) {
      if (pending.length > left.length) return stop(NOBODY_ALLOWED);
      return stop(
        stale.length > 0
          ? 'no check fails any more'
          : 'every comment that it was to answer was deleted or answered before',
      );
    }
    const signals: FeedbackContext['signals'] = [
      ...(details.mergeable === false ? (['merge_conflict'] as const) : []),
      ...(details.mergeableState === 'behind' ? (['base_moved'] as const) : []),
    ];
    const isTrusted = selectTrusted(tools, repo, pull);
    state.saveTurnContext(turn.turnKey, {
      ...context,
      headSha,
      events,
      signals,
      checks: describeChecks(pull.checks, headSha),
      reviewComments: context.reviewComments.filter(({ id }) => isTrusted('review', id)),
      conversation: context.conversation.filter(({ id }) => isTrusted('issue', id)),
      update: left.some(asksForUpdate),
    });
    return { kind: 'fresh' };
  });
}
