/** A seeded source of random numbers: the same seed gives the same numbers on every machine. */
export type Random = ReturnType<typeof createRandom>;

export function createRandom(seed: number) {
  let state = seed >>> 0;
  // The generator mulberry32 by Tommy Ettinger, which is in the public domain.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    between: (min: number, max: number): number => min + below(max - min + 1),
    chance: (probability: number): boolean => next() < probability,
    pick<T>(items: readonly [T, ...T[]]): T {
      return items[below(items.length)] ?? items[0];
    },
    /** Picks an item with a probability in proportion to its weight. */
    weigh<T>(items: readonly (readonly [number, T])[]): T {
      let left = next() * items.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, item] of items) {
        left -= weight;
        if (left < 0) return item;
      }
      const [first] = items;
      if (first === undefined) throw new RangeError('there is nothing to pick from');
      return first[1];
    },
  };
}
