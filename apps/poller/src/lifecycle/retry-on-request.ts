import type { RepoConfig } from '@mergexo/config';
import { formatSince } from '@mergexo/core/health';
import { type AgentLimit, retryNow } from '@mergexo/core/ledger';
import { buildTurnEvent } from '@mergexo/core/timeline';
import type { Records } from '../tools.js';
import { readTurnLimit } from './agent-limits.js';
import { recordEvents } from './record-events.js';

export type Retried =
  | { kind: 'nothing-waits' }
  | { kind: 'retrying' }
  | { kind: 'limited'; limit: AgentLimit };

/** Ends the backoff of a waiting retry. The provider's usage limit still applies. Requires a transaction. */
export function retryWaitingTurn(
  tools: Records,
  agents: Pick<RepoConfig, 'agent' | 'reviewAgent'> | undefined,
  { runId, reason }: { runId: number; reason: string | null },
): Retried {
  const { state, now } = tools;
  const turn = state.readLiveTurnOfRun(runId);
  const limit = turn && readTurnLimit(tools, agents, turn);
  const next = turn && retryNow(turn, now(), limit);
  if (next === undefined) return { kind: 'nothing-waits' };
  state.saveTurn(next);
  recordEvents(tools, [
    buildTurnEvent('turn_queued', next, {
      reason: `an operator asked for a retry${reason === null ? '' : `: ${reason}`}`,
      ...(limit !== undefined && { not_before: limit.until }),
    }),
  ]);
  return limit === undefined ? { kind: 'retrying' } : { kind: 'limited', limit };
}

/** Renders the reply to the operator. */
export function describeRetried(retried: Exclude<Retried, { kind: 'nothing-waits' }>, now: number): string {
  if (retried.kind === 'retrying') return 'MergeXO will retry as soon as a worker is free.';
  const { adapter, until } = retried.limit;
  return `${adapter} has reached its usage limit. MergeXO retries at ${formatSince(until, now)}, when the limit resets.`;
}
