import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_STATES, type Turn } from '@mergexo/core';
import type { State } from '@mergexo/state';

/** Until every turn ended and everything was said. A turn that backs off for longer than a window is not waited for. */
export async function waitUntilIdle(tools: {
  state: State;
  now: () => number;
  windowMs: number;
  hasRead: () => boolean;
}): Promise<Turn[]> {
  const { state, now, windowMs, hasRead } = tools;
  for (;;) {
    const live = LIVE_STATES.flatMap((name) => state.listTurnsInState(name));
    const later = live.filter(({ notBefore }) => (notBefore ?? 0) > now() + windowMs);
    const waiting = new Set(later.map(({ turnKey }) => turnKey));
    const silent = state
      .listUnsettledActions()
      .every(({ turnKey }) => turnKey !== null && waiting.has(turnKey));
    if (hasRead() && silent && live.length === later.length) return later;
    await sleep(200);
  }
}
