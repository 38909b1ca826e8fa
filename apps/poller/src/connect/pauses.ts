import type { Failure, Log } from '@mergexo/core/basics';
import type { State } from '@mergexo/state';
import { recordEvents } from '../lifecycle/record-events.js';
import type { Repo } from '../tools.js';

/** Tracks the repositories that a rate limit pauses. The other repositories continue. */
export type Pauses = {
  isPaused(repoId: number): boolean;
  /** Remaining time of the pause; 0 if the repository is not paused. */
  leftMs(repoId: number): number;
  note(repo: Repo, failure: Failure): void;
};

const DEFAULT_MS = 60_000;

export function createPauses(tools: {
  state: State;
  now: () => number;
  monotonicNow: () => number;
  log: Log;
}): Pauses {
  const until = new Map<number, number>();
  const leftMs = (repoId: number): number => Math.max(0, (until.get(repoId) ?? 0) - tools.monotonicNow());
  return {
    isPaused: (repoId) => leftMs(repoId) > 0,
    leftMs,
    note({ id: repoId }, { kind, message, retryAfterMs = DEFAULT_MS }) {
      if (kind !== 'rate-limited') return;
      until.set(repoId, tools.monotonicNow() + retryAfterMs);
      const payload = { seconds: Math.ceil(retryAfterMs / 1_000), reason: message };
      tools.state.transaction(() => recordEvents(tools, [{ type: 'polling_paused', repoId, payload }]));
    },
  };
}
