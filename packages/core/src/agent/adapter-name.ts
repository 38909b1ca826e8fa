/** The kinds of agents that MergeXO can run. `packages/agents` has one folder for each. */
export const ADAPTER_NAMES = ['codex', 'claude', 'command'] as const;
export type AdapterName = (typeof ADAPTER_NAMES)[number];

/**
 * Returns the adapter's name; undefined for an unknown name, which a configuration or a stored session may contain.
 */
export function toAdapterName(name: string): AdapterName | undefined {
  return ADAPTER_NAMES.find((known) => known === name);
}
