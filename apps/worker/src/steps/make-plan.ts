import { NO_USAGE } from '@mergexo/agents';
import type { AgentStep } from '@mergexo/core/agent';
import type { Attached, UploadContent } from '@mergexo/core/attachments';
import { Failure } from '@mergexo/core/basics';
import type { BegunTurn } from '@mergexo/core/ledger';
import {
  familyOf,
  type PlanParcel,
  type ReviewOutput,
  type TurnFamily,
  type Usage,
} from '@mergexo/core/turns';

export type PlanFailed = {
  kind: 'failed';
  /** `unusable`: the agent's answer was invalid, even after a repair. */
  cause: 'agent' | 'unusable' | 'infrastructure';
  reason: string;
  retryAfterMs: number | null;
  /** The agent's total usage in this attempt. */
  usage: Usage;
  /** The adapter whose provider refuses work until `retryAfterMs` has passed. */
  limitedAdapter?: string;
  /** The reviewer's answer, for the attempt that verifies its findings. */
  reported?: ReviewOutput;
};

export type Planned = { kind: 'planned'; parcel: PlanParcel } | PlanFailed;

/** Prepares the slot, asks the agent and builds the commits to freeze. Ends early when the signal aborts. */
export type MakePlan = (begun: TaskTurn, signal: AbortSignal, report: Report) => Promise<Planned>;

/** The turn to plan. `attached` is absent if people uploaded no files. */
export type TaskTurn = BegunTurn & { attached?: Attached };

/** A planner's connection to the poller. */
export type Report = {
  /** Reports the agent's current step to `status` and the dashboard. */
  step: (text: string) => void;
  /** Reports what the agent, setup or the tests do, to people who watch the turn. */
  show: (step: AgentStep) => void;
  /** Records a host that the network policy refused, for the timeline. */
  refusedHost: (host: string) => void;
  /** Downloads an upload by its 1-based position in the list of the turn. */
  fetchUpload: (number: number) => Promise<UploadContent>;
};

export function createMakePlan(planners: Record<TurnFamily, MakePlan>): MakePlan {
  return (begun, signal, report) => planners[familyOf(begun.turnKind)](begun, signal, report);
}

/** Builds an infrastructure failure, which does not count as a failed attempt of the turn. */
export function trouble(
  reason: string,
  { retryAfterMs = null, usage = NO_USAGE }: { retryAfterMs?: number | null; usage?: Usage } = {},
): PlanFailed {
  return { kind: 'failed', cause: 'infrastructure', reason, retryAfterMs, usage };
}

/** Rethrows any error that is not a `Failure`, because it is a bug and must fail the job. */
export function toTrouble(error: unknown, usage: Usage = NO_USAGE): PlanFailed {
  if (!(error instanceof Failure)) throw error;
  return trouble(error.message, { retryAfterMs: error.retryAfterMs ?? null, usage });
}
