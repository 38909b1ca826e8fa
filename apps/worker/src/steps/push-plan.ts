import type { BegunTurn } from '@mergexo/core/ledger';
import type { PlanParcel } from '@mergexo/core/turns';

export type Pushed =
  | { kind: 'pushed'; reason: null }
  | { kind: 'superseded' | 'refused'; reason: string }
  | { kind: 'failed'; reason: string; retryAfterMs: number | null };

/** Sends the frozen commits, and nothing else, as a fast-forward. Doing it twice changes nothing. */
export type PushPlan = (begun: BegunTurn, parcel: PlanParcel, signal: AbortSignal) => Promise<Pushed>;
