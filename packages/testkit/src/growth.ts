const ROUNDS = 4;
const TRIES = 5;
/** Clearly in proportion: another round would only confirm it. */
const CLEAR = 1.3;

/**
 * How the time of `work` grows with the size of its input: 1 is in proportion, 2 is with the square. A ratio of CPU times
 * within one run, and the best of a few rounds, so that a slow or busy machine measures what an idle one does.
 */
export function measureGrowth(work: (size: number) => void, sizes: { from: number; to: number }): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && best > CLEAR; round += 1) {
    const [small, large] = [measure(work, sizes.from), measure(work, sizes.to)];
    best = Math.min(best, Math.log(large / small) / Math.log(sizes.to / sizes.from));
  }
  return best;
}

function measure(work: (size: number) => void, size: number): number {
  const times = Array.from({ length: TRIES }, () => {
    const before = process.cpuUsage();
    work(size);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.max(1, Math.min(...times));
}
