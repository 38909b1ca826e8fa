import type { Waits } from './read-waits.js';

/** Returns, for each step, the maximum number of turns that waited at the same time. */
export function computeWaiting(
  waits: Waits,
  { steps, stepMs }: { steps: readonly number[]; stepMs: number },
): number[] {
  // Typed arrays sort tens of thousands of numbers several times faster.
  const from = Float64Array.from(waits.from).sort();
  const to = Float64Array.from(waits.to).sort();
  let [opened, left] = [0, 0];
  return steps.map((start) => {
    // Changes up to the start only set the depth at the start. A turn that leaves when another one opens leaves first.
    while ((from[opened] ?? Number.POSITIVE_INFINITY) <= start) opened += 1;
    while ((to[left] ?? Number.POSITIVE_INFINITY) <= start) left += 1;
    let most = opened - left;
    for (let at = from[opened]; at !== undefined && at < start + stepMs; opened += 1, at = from[opened]) {
      while ((to[left] ?? Number.POSITIVE_INFINITY) <= at) left += 1;
      most = Math.max(most, opened + 1 - left);
    }
    return most;
  });
}
