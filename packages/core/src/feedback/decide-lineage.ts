import { isWithin } from '../basics/wait.js';

/** GitHub's comparison of the current head with the last accepted head. */
export type Comparison = 'identical' | 'ahead' | 'behind' | 'diverged';

export type Lineage = 'grown' | 'rewritten' | 'unclear';

/**
 * Decides whether the history was rewritten. The last accepted head must stay an ancestor of the current
 * head. Right after a push, GitHub may still return the previous head, so `behind` proves a rewrite only
 * after the visibility window.
 */
export function decideLineage(
  comparison: Comparison,
  read: { sinceAcceptedMs: number; windowMs: number },
): Lineage {
  if (comparison === 'identical' || comparison === 'ahead') return 'grown';
  if (comparison === 'behind' && isWithin(read.windowMs, 0, read.sinceAcceptedMs)) return 'unclear';
  return 'rewritten';
}
