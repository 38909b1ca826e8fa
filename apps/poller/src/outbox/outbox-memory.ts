import type { Action } from '@mergexo/core/actions';
import type { Failure } from '@mergexo/core/basics';
import { LIVE_STATES } from '@mergexo/core/turns';
import { recordEvents } from '../lifecycle/record-events.js';
import { repoKey, threadOf } from './choose-next.js';
import type { OutboxTools } from './outbox-tools.js';

/** State that the outbox keeps in memory between rounds. Losing it is safe, because every wait starts again. */
export type OutboxMemory = ReturnType<typeof createOutboxMemory>;

export function createOutboxMemory(tools: OutboxTools) {
  const { state, monotonicNow, windowMs } = tools;
  const startedAt = monotonicNow();
  /** Time at which the last request for each action ended. */
  const requestEnded = new Map<string, number>();
  const nextLook = new Map<string, number>();
  /** Turns that were live at the start. A restored older database may lack later posts of these turns. */
  const inherited = new Set(
    LIVE_STATES.flatMap((live) => state.listTurnsInState(live)).map(({ turnKey }) => turnKey),
  );
  const pausedUntil = new Map<string, number>();
  const pauseReasons = new Map<string, string>();

  return {
    noteWrite({ id }: Action): void {
      requestEnded.set(id, monotonicNow());
      tools.budget.noteWrite();
    },

    /** Returns when the wait for an action started. After a restart, the wait starts again. */
    quietSince: ({ id }: Action): number => requestEnded.get(id) ?? startedAt,

    isLookTooEarly: ({ id }: Action): boolean => (nextLook.get(id) ?? 0) > monotonicNow(),

    /** Schedules the next check. There are only a few checks per window, because each check makes requests. */
    lookAgain({ id }: Action, latest = Number.POSITIVE_INFINITY): void {
      nextLook.set(id, Math.min(latest, monotonicNow() + windowMs / 4));
    },

    isInherited: ({ turnKey }: Action): boolean => turnKey !== null && inherited.has(turnKey),

    isPaused: (action: Action): boolean =>
      [repoKey(action), threadOf(action)].some((key) => (pausedUntil.get(key) ?? 0) > monotonicNow()),

    /** Pauses a repository or a thread. Records an event only if the cause changed. */
    pause(
      scope: 'repository' | 'thread',
      action: Action,
      { failure, ms }: { failure: Failure; ms: number },
    ): void {
      const key = scope === 'repository' ? repoKey(action) : threadOf(action);
      pausedUntil.set(key, monotonicNow() + ms);
      if (pauseReasons.get(key) === failure.message) return;
      pauseReasons.set(key, failure.message);
      const { repoId, thread: issueNumber } = action;
      const payload = { seconds: Math.ceil(ms / 1_000), reason: failure.message };
      state.transaction(() => recordEvents(tools, [{ type: 'outbox_paused', repoId, issueNumber, payload }]));
    },
  };
}
