import type { RepoConfig } from '@mergexo/config';
import type { BegunTurn } from '@mergexo/core/ledger';
import { traitsOf } from '@mergexo/core/turns';
import type { AgentChoice } from '../task.js';

/**
 * Chooses the author's or the reviewer's agent, depending on the turn. During a usage limit, the poller
 * specifies a fallback instead. Returns undefined if this worker's configuration has no such fallback.
 */
export function chooseAgent(
  repo: RepoConfig,
  { turnKind, adapter }: Pick<BegunTurn, 'turnKind' | 'adapter'>,
): AgentChoice | undefined {
  const { fallback, ...agent } = repo[traitsOf(turnKind).agent];
  return adapter === undefined ? agent : fallback.find((other) => other.adapter === adapter);
}
