import type { Action } from '@mergexo/core/actions';
import type { Failure } from '@mergexo/core/basics';
import { LIVE_STATES } from '@mergexo/core/turns';
import { recordEvents } from '../lifecycle/record-events.js';
import { repoKey, threadOf } from './choose-next.js';
import type { OutboxTools } from './outbox-tools.js';

const HOUR = 3_600_000;

/** What the outbox remembers between two rounds. All of it may be lost: a restart waits at least as long. */
export type OutboxMemory = ReturnType<typeof createOutboxMemory>;

export function createOutboxMemory(tools: OutboxTools) {
  const { state, monotonicNow, windowMs } = tools;
  const startedAt = monotonicNow();
  /** When the last request for an action ended. */
  const requestEnded = new Map<string, number>();
  const nextLook = new Map<string, number>();
  /** Turns from before the start: a restored copy of the database does not know what was posted for them since. */
  const inherited = new Set(
    LIVE_STATES.flatMap((live) => state.listTurnsInState(live)).map(({ turnKey }) => turnKey),
  );
  const pausedUntil = new Map<string, number>();
  const pauseReasons = new Map<string, string>();
  let recentWrites: number[] = [];

  return {
    isOverBudget(): boolean {
      recentWrites = recentWrites.filter((time) => time > monotonicNow() - HOUR);
      return recentWrites.length >= tools.writesPerHour;
    },

    noteWrite({ id }: Action): void {
      requestEnded.set(id, monotonicNow());
      recentWrites.push(monotonicNow());
    },

    /** After a restart the wait starts again. */
    quietSince: ({ id }: Action): number => requestEnded.get(id) ?? startedAt,

    isLookTooEarly: ({ id }: Action): boolean => (nextLook.get(id) ?? 0) > monotonicNow(),

    /** A few looks during the window are enough; each costs requests. */
    lookAgain({ id }: Action, latest = Number.POSITIVE_INFINITY): void {
      nextLook.set(id, Math.min(latest, monotonicNow() + windowMs / 4));
    },

    isInherited: ({ turnKey }: Action): boolean => turnKey !== null && inherited.has(turnKey),

    isPaused: (action: Action): boolean =>
      [repoKey(action), threadOf(action)].some((key) => (pausedUntil.get(key) ?? 0) > monotonicNow()),

    /** Recorded once per cause. Later looks would only repeat it. */
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
