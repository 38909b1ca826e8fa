import { isWithin } from '../basics/wait.js';

/** How GitHub says that two commits relate, seen from the older one. */
export type Comparison = 'identical' | 'ahead' | 'behind' | 'diverged';

export type Lineage = 'grown' | 'rewritten' | 'unclear';

/**
 * The last accepted head must stay an ancestor of the present one. Right after a push, GitHub may still show the head
 * before it; only an answer that stays after the window proves that somebody took commits away.
 */
export function judgeLineage(
  comparison: Comparison,
  read: { sinceAcceptedMs: number; windowMs: number },
): Lineage {
  if (comparison === 'identical' || comparison === 'ahead') return 'grown';
  if (comparison === 'behind' && isWithin(read.windowMs, 0, read.sinceAcceptedMs)) return 'unclear';
  return 'rewritten';
}
