import type { BegunTurn, PlanParcel, TurnKind } from '@mergexo/core';

export type Planned =
  | { kind: 'planned'; parcel: PlanParcel }
  | { kind: 'failed'; cause: 'agent' | 'infrastructure'; reason: string; retryAfterMs: number | null };

/** Everything from the empty slot to the commits that are ready to be frozen. Ends early when the signal aborts. */
export type MakePlan = (begun: BegunTurn, signal: AbortSignal) => Promise<Planned>;

/** Chooses by the kind of turn. A worker may be older than the poller that sends it work. */
export function createMakePlan(planners: Partial<Record<TurnKind, MakePlan>>): MakePlan {
  return async (begun, signal) => {
    const planner = planners[begun.turnKind];
    if (planner !== undefined) return planner(begun, signal);
    const reason = `this worker cannot run ${begun.turnKind} turns; update it`;
    return { kind: 'failed', cause: 'infrastructure', reason, retryAfterMs: 60_000 };
  };
}
