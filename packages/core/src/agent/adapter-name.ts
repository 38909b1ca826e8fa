/** The kinds of agents that MergeXO can run. `packages/agents` has one folder for each. */
export const ADAPTER_NAMES = ['codex', 'claude', 'command'] as const;
export type AdapterName = (typeof ADAPTER_NAMES)[number];

/** The name as an adapter's, or undefined: names come from the configuration and from stored sessions. */
export function toAdapterName(name: string): AdapterName | undefined {
  return ADAPTER_NAMES.find((known) => known === name);
}
