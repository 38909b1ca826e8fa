export type Spread = { median: number; min: number; max: number };

/** Returns the median and the range of at least one number. */
export function computeSpread(numbers: readonly number[]): Spread {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    min: at(0),
    max: at(sorted.length - 1),
  };
}
