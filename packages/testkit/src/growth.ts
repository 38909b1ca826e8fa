const ROUNDS = 4;
const TRIES = 5;
/** Growth below this value is clearly linear, so another round is not needed. */
const CLEAR = 1.3;

/**
 * Measures how the time of `work` grows with the size of its input: 1 is linear, 2 is quadratic. Compares CPU times and
 * takes the best of a few rounds, so that a slow or busy machine gives the same result as an idle one.
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
