import type { RepoConfig } from '@mergexo/config';
import { remainingWaitMs } from '@mergexo/core/basics';
import {
  type ActiveLimit,
  type AdapterChoice,
  chooseAdapter,
  type FailMessage,
  type Step,
  type TurnMessage,
} from '@mergexo/core/ledger';
import { type Turn, type TurnKind, traitsOf } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';
import type { Records } from '../tools.js';
import { recordEvents } from './record-events.js';

/**
 * Maximum wait for a usage limit. Afterwards, one turn checks whether the limit still applies, because a
 * program that runs next to the agent could forge a limit of several years. Even a week of such waits causes
 * fewer infrastructure failures than a turn may have.
 */
const MAX_WAIT_MS = 12 * 60 * 60 * 1000;

/** Delays turns of this adapter until its usage limit resets. Logs each limit once. Requires a transaction. */
export function noteAgentLimit(tools: Records, message: FailMessage): void {
  const { state, now } = tools;
  const { limitedAdapter: adapter, retryAfterMs, reason } = message;
  if (adapter === undefined || retryAfterMs === null) return;
  const isKnown = readAgentLimit(tools, adapter) !== undefined;
  const since = now();
  const until = since + Math.min(retryAfterMs, MAX_WAIT_MS);
  state.saveAgentLimit({ adapter, since, until, reason });
  if (isKnown) return;
  const payload = { adapter, until: new Date(until).toISOString(), reason: reason.slice(0, 500) };
  recordEvents(tools, [{ type: 'agent_limit_reached', payload }]);
}

type Agents = Pick<RepoConfig, 'agent' | 'reviewAgent'>;

/** Returns the configured agents of a repository; undefined if the repository is no longer configured. */
export type AgentsOf = (repoId: number) => Agents | undefined;

export function createAgentsOf(state: Pick<State, 'readRepository'>, repos: readonly RepoConfig[]): AgentsOf {
  return (repoId) => {
    const found = state.readRepository(repoId);
    const name = `${found?.owner}/${found?.name}`.toLowerCase();
    return repos.find(({ fullName }) => fullName.toLowerCase() === name);
  };
}

/**
 * Chooses the adapter for a turn: the repository's agent, or a fallback while the agent's provider has a usage limit.
 * Returns undefined if the repository is no longer configured.
 */
function chooseTurnAdapter(
  tools: Pick<Records, 'state' | 'now'>,
  agents: Agents | undefined,
  /** `fresh`: a limit that is not stored yet. */
  { kind, fresh }: { kind: TurnKind; fresh?: ActiveLimit },
): AdapterChoice | undefined {
  if (agents === undefined) return undefined;
  const limitOf = (name: string) => (name === fresh?.adapter ? fresh : readAgentLimit(tools, name));
  return chooseAdapter(listChain(agents, kind), limitOf);
}

function listChain(agents: Agents, kind: TurnKind): string[] {
  const { adapter, fallback } = agents[traitsOf(kind).agent];
  return [adapter, ...fallback.map((other) => other.adapter)];
}

type Ledger = Pick<Records, 'state' | 'now'> & { agentsOf: AgentsOf };

/**
 * Returns the fallback for a turn that has just begun; undefined if the repository's own agent works on the
 * turn. A frozen plan needs no agent.
 */
export function findFallback(tools: Ledger, { turn, verdict }: Step): string | undefined {
  if (verdict.kind !== 'begun' || turn.planDigest !== null) return undefined;
  const agents = tools.agentsOf(turn.repoId);
  const choice = chooseTurnAdapter(tools, agents, turn);
  if (agents === undefined || choice?.kind !== 'run') return undefined;
  return choice.adapter === agents[traitsOf(turn.kind).agent].adapter ? undefined : choice.adapter;
}

/**
 * Returns the usage limit that delays a turn; undefined if the turn need not wait. A turn with a frozen plan
 * needs no agent, and a fallback can take over other turns.
 */
export function readTurnLimit(
  tools: Pick<Records, 'state' | 'now'>,
  agents: Agents | undefined,
  turn: Pick<Turn, 'kind' | 'planDigest'>,
): ActiveLimit | undefined {
  const choice = turn.planDigest === null ? chooseTurnAdapter(tools, agents, turn) : undefined;
  return choice?.kind === 'wait' ? choice.limit : undefined;
}

/** True if the adapter may run the turn. A worker must not limit the agents of other repositories. */
export function mayRun(agents: Agents | undefined, { kind }: Turn, adapter: string | undefined): boolean {
  return agents !== undefined && adapter !== undefined && listChain(agents, kind).includes(adapter);
}

/**
 * Shortens the wait of a failed turn to at most 12 hours, whatever the cause. If the turn's agent has just reached its
 * limit, a fallback takes over at once, and without a fallback the turn waits for the first reset. An adapter that is
 * not configured here has no fallback.
 */
export function shortenWait(tools: Ledger, turn: Turn, message: TurnMessage): TurnMessage {
  if (message.kind !== 'fail') return message;
  const { limitedAdapter: adapter, retryAfterMs, reason } = message;
  if (retryAfterMs === null) return message;
  const ms = Math.min(retryAfterMs, MAX_WAIT_MS);
  if (adapter === undefined) return { ...message, retryAfterMs: ms };
  const agents = tools.agentsOf(turn.repoId);
  if (!mayRun(agents, turn, adapter)) return { ...message, retryAfterMs: ms };
  const fresh = { adapter, ms, until: tools.now() + ms, reason };
  const choice = chooseTurnAdapter(tools, agents, { kind: turn.kind, fresh });
  return { ...message, retryAfterMs: choice?.kind === 'wait' ? choice.limit.ms : 0 };
}

/** Returns the adapter's usage limit and its remaining time; undefined if no limit applies. */
export function readAgentLimit(
  { state, now }: Pick<Records, 'state' | 'now'>,
  adapter: string,
): ActiveLimit | undefined {
  const limit = state.readAgentLimit(adapter);
  if (limit === undefined) return undefined;
  const { until, reason } = limit;
  const ms = remainingWaitMs(limit, now());
  return ms === 0 ? undefined : { adapter, ms, until, reason };
}
