/** Finds the known key that is closest to a misspelled key; undefined if none is close. */
export function suggestKey(seen: string, known: readonly string[]): string | undefined {
  const wanted = normalise(seen);
  const farthest = wanted.length <= 5 ? 1 : 2;
  let best: { key: string; distance: number } | undefined;
  for (const key of known) {
    // The distance is at least the difference in length, so keys of a very different length are skipped.
    if (Math.abs(key.length - wanted.length) > farthest) continue;
    const distance = editDistance(wanted, key);
    if (distance <= farthest && (best === undefined || distance < best.distance)) best = { key, distance };
  }
  return best?.key;
}

/** Normalizes a key, so that `workerCount`, `worker-count` and `WORKER_COUNT` all become `worker_count`. */
function normalise(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-\s]/g, '_')
    .toLowerCase();
}

/** Counts insertions, deletions, replacements and swaps of neighbors (optimal string alignment). */
export function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      const replaced = at(last, column - 1) + (same ? 0 : 1);
      let cost = Math.min(replaced, at(last, column) + 1, at(current, column - 1) + 1);
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped && row > 1 && column > 1) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, right.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
