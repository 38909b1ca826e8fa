import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_STATES, type Turn } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';

export type IdleTools = {
  state: State;
  monotonicNow: () => number;
  windowMs: number;
  /** True once everything was read, or could not be. */
  hasRead: () => boolean;
  /** True while nothing may begin yet although there may be something to do. */
  isSettlingIn: () => boolean;
  /** True while a review or a fix is still to be opened. */
  isReviewDue: () => boolean;
  /** How long after the last thing that happened a turn for what waits is open at the latest. */
  settleMs: number;
};

/**
 * Until every turn ended and everything was said. What does not move for a window waits for something that this run will
 * not see: it is told, not waited for.
 */
export async function waitUntilIdle(tools: IdleTools): Promise<Turn[]> {
  const { state, monotonicNow, windowMs, settleMs } = tools;
  let seen = '';
  let movedAt = monotonicNow();
  for (;;) {
    const live = LIVE_STATES.flatMap((name) => state.listTurnsInState(name));
    const unsaid = state.listUnsettledActions();
    const shown = JSON.stringify([
      tools.hasRead(),
      tools.isSettlingIn(),
      live.map(({ turnKey, state: now, heartbeatAt }) => [turnKey, now, heartbeatAt]),
      unsaid.map(({ id, state: now, sends }) => [id, now, sends]),
    ]);
    if (shown !== seen) movedAt = monotonicNow();
    seen = shown;
    const stillMs = monotonicNow() - movedAt;
    const isQuiet = live.length === 0 && unsaid.length === 0;
    if (
      tools.hasRead() &&
      !tools.isSettlingIn() &&
      isQuiet &&
      (stillMs > settleMs || !(hasWaitingFeedback(state) || tools.isReviewDue()))
    )
      return [];
    if (stillMs > 2 * windowMs + settleMs) return live;
    await sleep(200);
  }
}

/** Comments that a turn will be opened for as soon as nobody adds more. What waits longer waits for something else. */
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
