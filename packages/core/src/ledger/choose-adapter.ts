import type { AgentLimit } from './retry-now.js';

/** A provider's limit, and the time until it resets. */
export type ActiveLimit = AgentLimit & { ms: number };

/** `wait`: every adapter in the chain is limited. `limit` is the limit that resets first. */
export type AdapterChoice = { kind: 'run'; adapter: string } | { kind: 'wait'; limit: ActiveLimit };

/**
 * Chooses the first adapter of a chain whose provider has no usage limit. The agent itself comes first, then its
 * fallbacks in order, so the agent takes over again as soon as its limit resets.
 */
export function chooseAdapter(
  chain: readonly string[],
  limitOf: (adapter: string) => ActiveLimit | undefined,
): AdapterChoice {
  const limits: ActiveLimit[] = [];
  for (const adapter of chain) {
    const limit = limitOf(adapter);
    if (limit === undefined) return { kind: 'run', adapter };
    limits.push(limit);
  }
  const [first, ...others] = limits;
  if (first === undefined) throw new Error('the chain of agents is empty');
  return {
    kind: 'wait',
    limit: others.reduce((soonest, limit) => (limit.ms < soonest.ms ? limit : soonest), first),
  };
}
