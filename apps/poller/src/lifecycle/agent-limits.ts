import type { RepoConfig } from '@mergexo/config';
import { remainingWaitMs } from '@mergexo/core/basics';
import type { AgentLimit, FailMessage } from '@mergexo/core/ledger';
import { type Turn, traitsOf } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';
import type { Records } from '../tools.js';
import { recordEvents } from './record-events.js';

/** Delays turns of this adapter until its usage limit resets. Logs each limit once. Requires a transaction. */
export function noteAgentLimit(tools: Records, message: FailMessage): void {
  const { state, now } = tools;
  const { limitedAdapter: adapter, retryAfterMs, reason } = message;
  if (adapter === undefined || retryAfterMs === null) return;
  const isKnown = readAgentLimit(tools, adapter) !== undefined;
  const since = now();
  const until = since + retryAfterMs;
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

/** Returns the usage limit that delays a turn. A turn with a frozen plan needs no agent, so no limit delays it. */
export function readTurnLimit(
  tools: Pick<Records, 'state' | 'now'>,
  agents: Agents | undefined,
  turn: Pick<Turn, 'kind' | 'planDigest'>,
): (AgentLimit & { ms: number }) | undefined {
  if (agents === undefined || turn.planDigest !== null) return undefined;
  return readAgentLimit(tools, agents[traitsOf(turn.kind).agent].adapter);
}

/** Returns the adapter's usage limit and its remaining time; undefined if no limit applies. */
export function readAgentLimit(
  { state, now }: Pick<Records, 'state' | 'now'>,
  adapter: string,
): (AgentLimit & { ms: number }) | undefined {
  const limit = state.readAgentLimit(adapter);
  if (limit === undefined) return undefined;
  const { until, reason } = limit;
  const ms = remainingWaitMs(limit, now());
  return ms === 0 ? undefined : { adapter, ms, until, reason };
}
