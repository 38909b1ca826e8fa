import { type AgentUsage, NO_USAGE } from '@mergexo/agents';
import type { BegunTurn, PlanParcel, TurnKind } from '@mergexo/core';

export type PlanFailed = {
  kind: 'failed';
  /** `unusable`: the agent answered, but not as it must, also after a repair. */
  cause: 'agent' | 'unusable' | 'infrastructure';
  reason: string;
  retryAfterMs: number | null;
  /** All that the agent consumed in this attempt. */
  usage: AgentUsage;
  /** The adapter whose provider will take no more work before that. */
  limitedAdapter?: string;
};

export type Planned = { kind: 'planned'; parcel: PlanParcel } | PlanFailed;

/** Everything from the empty slot to the commits that are ready to be frozen. Ends early when the signal aborts. */
export type MakePlan = (begun: BegunTurn, signal: AbortSignal, report: Report) => Promise<Planned>;

/** Tells whoever watches what the agent does, in a few words. */
export type Report = (text: string) => void;

/** Chooses by the kind of turn. A worker may be older than the poller that sends it work. */
export function createMakePlan(planners: Partial<Record<TurnKind, MakePlan>>): MakePlan {
  return async (begun, signal, report) => {
    const planner = planners[begun.turnKind];
    if (planner !== undefined) return planner(begun, signal, report);
    return trouble(`this worker cannot run ${begun.turnKind} turns; update it`, { retryAfterMs: 60_000 });
  };
}

/** The world stood in the way, not the turn. */
export function trouble(
  reason: string,
  { retryAfterMs = null, usage = NO_USAGE }: { retryAfterMs?: number | null; usage?: AgentUsage } = {},
): PlanFailed {
  return { kind: 'failed', cause: 'infrastructure', reason, retryAfterMs, usage };
}
