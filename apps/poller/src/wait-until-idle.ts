import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_STATES, type Turn } from '@mergexo/core';
import type { State } from '@mergexo/state';

/** Comments that a turn will be opened for as soon as nobody adds more. What waits longer waits for something else. */
function hasFreshFeedback({
  state,
  now,
  settleMs,
}: {
  state: State;
  now: () => number;
  settleMs: number;
}): boolean {
  return state.listRepositories().some(({ id }) => {
    const open = state.listWatchedPulls(id).filter(({ status }) => status === 'awaiting_feedback');
    return open.some(({ prNumber }) =>
      state.listUnclaimedEvents(id, prNumber).some(({ seenAt }) => seenAt + settleMs > now()),
    );
  });
}

/** Until every turn ended and everything was said. A turn that backs off for longer than a window is not waited for. */
export async function waitUntilIdle(tools: {
  state: State;
  now: () => number;
  windowMs: number;
  hasRead: () => boolean;
  /** How long after a comment was read its turn is open at the latest. */
  settleMs: number;
}): Promise<Turn[]> {
  const { state, now, windowMs, hasRead } = tools;
  for (;;) {
    const live = LIVE_STATES.flatMap((name) => state.listTurnsInState(name));
    const later = live.filter(({ notBefore }) => (notBefore ?? 0) > now() + windowMs);
    const waiting = new Set(later.map(({ turnKey }) => turnKey));
    const silent = state
      .listUnsettledActions()
      .every(({ turnKey }) => turnKey !== null && waiting.has(turnKey));
    if (hasRead() && silent && live.length === later.length && !hasFreshFeedback(tools)) return later;
    await sleep(200);
  }
}
