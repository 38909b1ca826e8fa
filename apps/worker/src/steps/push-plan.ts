import type { BegunTurn, PlanParcel } from '@mergexo/core';

export type Pushed =
  | { kind: 'pushed'; reason: null }
  | { kind: 'superseded' | 'refused'; reason: string }
  | { kind: 'failed'; reason: string; retryAfterMs: number | null };

/** Sends the frozen commits, and nothing else, as a fast-forward. Doing it twice changes nothing. */
export type PushPlan = (begun: BegunTurn, parcel: PlanParcel, signal: AbortSignal) => Promise<Pushed>;
