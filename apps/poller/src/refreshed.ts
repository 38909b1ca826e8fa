import type { LedgerAnswer } from '@mergexo/core/ledger';

/** `fresh`: the turn may start. Any other kind is the answer to the worker. */
export type Refreshed = { kind: 'fresh' } | Extract<LedgerAnswer, { kind: 'retry-later' | 'refused' }>;

const LATER_MS = 2_000;

export function later(reason: string, delayMs = LATER_MS): Extract<LedgerAnswer, { kind: 'retry-later' }> {
  return { kind: 'retry-later', delayMs: Math.max(LATER_MS, Math.ceil(delayMs)), reason };
}
