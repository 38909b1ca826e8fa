import { describeHealth, type Health } from '@mergexo/core/health';
import type { State } from '../create-state.js';

/** Returns the health of the poller, GitHub, Redis and each configured repository. Omits removed repositories. */
export function readHealth(
  state: Pick<State, 'listHealth' | 'listRepositories'>,
  about: { now: number; pollIntervalMs: number; configured: readonly string[] },
): Health {
  const wanted = new Set(about.configured.map((name) => name.toLowerCase()));
  const repos = state
    .listRepositories()
    .map(({ id, owner, name }) => ({ id, name: `${owner}/${name}` }))
    .filter(({ name }) => wanted.has(name.toLowerCase()));
  return describeHealth(state.listHealth(), { ...about, repos });
}
