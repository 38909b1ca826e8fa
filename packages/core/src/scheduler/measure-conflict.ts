import type { Frontmatter } from '../frontmatter/frontmatter.js';
import type { SchedulerWeights } from './weights.js';

export type Size = Frontmatter['estimatedSize'];
export type RiskWeights = Pick<SchedulerWeights, 'pathRisk' | 'moduleRisk' | 'sizeRisk'>;

const SIZE_RISKS: Readonly<Record<Size, number>> = { S: 0, M: 0.5, L: 1 };

/** A candidate and one other work that share a module: how many paths each has, and how many meet one of the other. */
export type PathCounts = { mine: number; theirs: number; mineMet: number; theirsMet: number };

/** How likely the candidate gets in the way of the other, from 0 to 1; of nobody, where there are no counts. */
export function measureConflict(size: Size, counts: PathCounts | null, weights: RiskWeights): number {
  const ofSize = weights.sizeRisk * SIZE_RISKS[size];
  if (counts === null) return ofSize;
  return weights.pathRisk * computeJaccard(counts) + weights.moduleRisk + ofSize;
}

/**
 * Shared paths over all paths. A glob that meets five files counts as five shared paths, so `src/api/*` and the files
 * that were changed there are the same; between plain paths it is the plain measure.
 */
export function computeJaccard({ mine, theirs, mineMet, theirsMet }: PathCounts): number {
  const shared = Math.max(mineMet, theirsMet);
  if (shared === 0) return 0;
  return shared / (mine - mineMet + (theirs - theirsMet) + shared);
}
