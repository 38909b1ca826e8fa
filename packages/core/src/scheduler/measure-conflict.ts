import type { Frontmatter } from '../frontmatter/frontmatter.js';
import type { SchedulerWeights } from './weights.js';

export type Size = Frontmatter['estimatedSize'];
export type RiskWeights = Pick<SchedulerWeights, 'pathRisk' | 'moduleRisk' | 'sizeRisk'>;

const SIZE_RISKS: Readonly<Record<Size, number>> = { S: 0, M: 0.5, L: 1 };

/**
 * Path counts of a candidate (`mine`) and of active work (`theirs`) that share a module. `mineMet` and `theirsMet`
 * count only the paths that overlap the other side.
 */
export type PathCounts = { mine: number; theirs: number; mineMet: number; theirsMet: number };

/** Returns the risk of a conflict with active work, from 0 to 1. If the counts are null, only the size matters. */
export function measureConflict(size: Size, counts: PathCounts | null, weights: RiskWeights): number {
  const ofSize = weights.sizeRisk * SIZE_RISKS[size];
  if (counts === null) return ofSize;
  return weights.pathRisk * computeJaccard(counts) + weights.moduleRisk + ofSize;
}

/**
 * Divides the shared paths by all paths. A glob that matches five files counts as five shared paths, so `src/api/*`
 * fully matches the changed files in that folder. For plain paths, this is the plain Jaccard index.
 */
export function computeJaccard({ mine, theirs, mineMet, theirsMet }: PathCounts): number {
  const shared = Math.max(mineMet, theirsMet);
  if (shared === 0) return 0;
  return shared / (mine - mineMet + (theirs - theirsMet) + shared);
}
