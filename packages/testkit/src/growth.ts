/**
 * How the time of `work` grows with the size of its input: 1 is in proportion, 2 is with the square. A ratio within
 * one run, so a slow machine measures what a fast one does; the best of a few tries, so a busy one nearly does.
 */
export function measureGrowth(work: (size: number) => void, sizes: { from: number; to: number }): number {
  const [small = 0, large = 0] = [sizes.from, sizes.to].map((size) => {
    const times = Array.from({ length: 5 }, () => {
      const started = performance.now();
      work(size);
      return performance.now() - started;
    });
    return Math.min(...times);
  });
  return Math.log(large / small) / Math.log(sizes.to / sizes.from);
}
