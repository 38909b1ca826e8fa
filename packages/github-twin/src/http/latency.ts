const JITTER = 0.2;

/** Creates a function that returns the delay of the next response. The sequence is the same in every run. */
export function createLatency(meanMs: number): () => number {
  // A linear congruential generator with the constants from Numerical Recipes.
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return meanMs * (1 - JITTER + (2 * JITTER * state) / 2 ** 32);
  };
}
