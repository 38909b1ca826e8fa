import type { LedgerAnswer } from '@mergexo/core/ledger';
import { describePause, type Pause } from '@mergexo/core/runs';

/** `fresh`: the turn may start. Any other kind is the answer to the worker. */
export type Refreshed = { kind: 'fresh' } | Extract<LedgerAnswer, { kind: 'retry-later' | 'refused' }>;

const LATER_MS = 2_000;
/** Delay before a worker asks again about a paused turn. Only turns that were queued before the pause ask at all. */
const PAUSED_MS = 10_000;

export function later(reason: string, delayMs = LATER_MS): Extract<LedgerAnswer, { kind: 'retry-later' }> {
  return { kind: 'retry-later', delayMs: Math.max(LATER_MS, Math.ceil(delayMs)), reason };
}

export function waitForResume(pause: Pause): ReturnType<typeof later> {
  return later(`waiting for ${describePause(pause)}`, PAUSED_MS);
}
