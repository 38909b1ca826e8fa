import { type AgentUsage, NO_USAGE } from '@mergexo/agents';
import type { BegunTurn } from '@mergexo/core/ledger';
import { familyOf, type PlanParcel, type TurnFamily } from '@mergexo/core/turns';

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

export function createMakePlan(planners: Record<TurnFamily, MakePlan>): MakePlan {
  return (begun, signal, report) => planners[familyOf(begun.turnKind)](begun, signal, report);
}

/** The world stood in the way, not the turn. */
export function trouble(
  reason: string,
  { retryAfterMs = null, usage = NO_USAGE }: { retryAfterMs?: number | null; usage?: AgentUsage } = {},
): PlanFailed {
  return { kind: 'failed', cause: 'infrastructure', reason, retryAfterMs, usage };
}
