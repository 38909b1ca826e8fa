import type { RepoConfig } from '@mergexo/config';
import { waitLeftMs } from '@mergexo/core/basics';
import type { AgentLimit, FailMessage } from '@mergexo/core/ledger';
import type { Turn } from '@mergexo/core/turns';
import { traitsOf } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';
import type { Records } from '../tools.js';
import { recordEvents } from './record-events.js';

/** A provider that takes no more work is not asked again before its time; told once per limit. Inside a transaction. */
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

/** The configured agents of a repository; undefined where the configuration no longer names it. */
export type AgentsOf = (repoId: number) => Agents | undefined;

export function createAgentsOf(state: Pick<State, 'readRepository'>, repos: readonly RepoConfig[]): AgentsOf {
  return (repoId) => {
    const found = state.readRepository(repoId);
    const name = `${found?.owner}/${found?.name}`.toLowerCase();
    return repos.find(({ fullName }) => fullName.toLowerCase() === name);
  };
}

/** The limit that keeps a turn from its agent. A frozen plan needs no agent any more. */
export function readTurnLimit(
  tools: Pick<Records, 'state' | 'now'>,
  agents: Agents | undefined,
  turn: Pick<Turn, 'kind' | 'planDigest'>,
): (AgentLimit & { ms: number }) | undefined {
  if (agents === undefined || turn.planDigest !== null) return undefined;
  return readAgentLimit(tools, agents[traitsOf(turn.kind).agent].adapter);
}

/** How long the adapter's turns still wait, and why. */
export function readAgentLimit(
  { state, now }: Pick<Records, 'state' | 'now'>,
  adapter: string,
): (AgentLimit & { ms: number }) | undefined {
  const limit = state.readAgentLimit(adapter);
  if (limit === undefined) return undefined;
  const { until, reason } = limit;
  const ms = waitLeftMs(limit, now());
  return ms === 0 ? undefined : { adapter, ms, until, reason };
}
