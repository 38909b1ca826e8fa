import type { Frontmatter } from '../frontmatter/frontmatter.js';
import { compareFootprints, type Footprint, type Meeting } from './footprint.js';
import type { SchedulerWeights } from './weights.js';

export type Size = Frontmatter['estimatedSize'];
export type RiskWeights = Pick<SchedulerWeights, 'pathRisk' | 'moduleRisk' | 'sizeRisk'>;

const SIZE_RISKS: Readonly<Record<Size, number>> = { S: 0, M: 0.5, L: 1 };

/** `isShared`: there is a module that both touch; without one, only the size is left as a risk. */
export type Conflict = { risk: number; isShared: boolean };

/** How likely a candidate gets in the way of one other piece of work, from 0 to 1. */
export function measureConflict(
  candidate: { footprint: Footprint; size: Size },
  other: Footprint,
  { pathRisk, moduleRisk, sizeRisk }: RiskWeights,
): Conflict {
  const { footprint, size } = candidate;
  const meeting = compareFootprints(footprint, other);
  const ofSize = sizeRisk * SIZE_RISKS[size];
  if (meeting === null) return { risk: ofSize, isShared: false };
  return { risk: pathRisk * jaccard(footprint, other, meeting) + moduleRisk + ofSize, isShared: true };
}

/**
 * Shared paths over all paths. A glob that meets five files, or five files that a glob meets, count as five shared paths:
 * so `src/api/*` and what was changed in it are the same, and plain paths give the plain measure.
 */
function jaccard(a: Footprint, b: Footprint, { first, second }: Meeting): number {
  const shared = Math.max(first.size, second.size);
  if (shared === 0) return 0;
  return shared / (a.count - first.size + (b.count - second.size) + shared);
}
