import type { ReviewPlace } from './eval-case.js';

/** Maximum distance in lines. A reviewer often comments on the start of a statement, and a person on its end. */
const NEARBY_LINES = 5;

/**
 * Counts people's comments that the findings cover: in the same file, on a nearby line. Each finding covers
 * at most one comment. Otherwise, one finding per file could count as a complete review.
 */
export function countFoundComments(
  places: readonly ReviewPlace[],
  findings: readonly { path: string; line: number | null }[],
): number {
  const left = [...findings];
  let found = 0;
  for (const place of places) {
    const distances = left.map((finding) => measureDistance(place, finding));
    const nearest = Math.min(...distances);
    if (nearest > NEARBY_LINES) continue;
    left.splice(distances.indexOf(nearest), 1);
    found += 1;
  }
  return found;
}

/** Returns the distance in lines. Infinity for different files, or if only one of the two has a line. */
function measureDistance(place: ReviewPlace, finding: { path: string; line: number | null }): number {
  if (place.path !== finding.path) return Number.POSITIVE_INFINITY;
  if (place.line === null && finding.line === null) return 0;
  if (place.line === null || finding.line === null) return Number.POSITIVE_INFINITY;
  return Math.abs(place.line - finding.line);
}
