import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_STATES, type Turn } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';
import { isHeld } from './lifecycle/pause.js';

export type IdleTools = {
  state: State;
  monotonicNow: () => number;
  windowMs: number;
  /** True once a cycle has read every repository. */
  hasRead: () => boolean;
  /** True while no turn may open because of a recent rebuild. */
  isInRebuildWindow: () => boolean;
  /** True while a review, a fix or an escalation is due. */
  isReviewDue: () => boolean;
  /** Maximum time from the last change until a turn opens for pending comments. */
  settleMs: number;
};

/**
 * Waits until every turn has ended and every action is settled. If nothing changes for a long time, returns the turns
 * that are still open, because they wait for an external event.
 */
export async function waitUntilIdle(tools: IdleTools): Promise<Turn[]> {
  const { state, monotonicNow, windowMs, settleMs } = tools;
  let seen = '';
  let movedAt = monotonicNow();
  for (;;) {
    const live = LIVE_STATES.flatMap((name) => state.listTurnsInState(name)).filter(
      (turn) => !isHeld(state, turn),
    );
    const unsaid = state.listUnsettledActions();
    const shown = JSON.stringify([
      tools.hasRead(),
      tools.isInRebuildWindow(),
      live.map(({ turnKey, state: now, heartbeatAt }) => [turnKey, now, heartbeatAt]),
      unsaid.map(({ id, state: now, sends }) => [id, now, sends]),
    ]);
    if (shown !== seen) movedAt = monotonicNow();
    seen = shown;
    const stillMs = monotonicNow() - movedAt;
    const isQuiet = live.length === 0 && unsaid.length === 0;
    if (
      tools.hasRead() &&
      !tools.isInRebuildWindow() &&
      isQuiet &&
      (stillMs > settleMs || !(hasWaitingFeedback(state) || tools.isReviewDue()))
    )
      return [];
    if (stillMs > 2 * windowMs + settleMs) return live;
    await sleep(50);
  }
}

/** True if a turn will open for pending comments or ready runs. */
function hasWaitingFeedback(state: State): boolean {
  return state
    .listRepositories()
    .some(({ id }) => hasWaitingOnPulls(state, id) || hasWaitingOnIssues(state, id));
}

function hasWaitingOnPulls(state: State, id: number): boolean {
  return state
    .listWatchedPulls(id)
    .filter(({ status }) => status === 'awaiting_feedback')
    .some(({ prNumber }) => state.listUnclaimedEvents(id, prNumber).length > 0);
}

function hasWaitingOnIssues(state: State, id: number): boolean {
  return state
    .listRuns(id, ['awaiting_issue_followup', 'awaiting_feedback', 'ready'])
    .some(
      ({ issueNumber, status, blockedKind, flow }) =>
        (status === 'ready' && blockedKind === null && flow !== 'implementation') ||
        state.listUnclaimedEvents(id, issueNumber).length > 0,
    );
}
