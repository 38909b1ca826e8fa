/** The sum of what was added within the last `windowMs`. */
export function createSlidingSum(windowMs: number) {
  let entries: { at: number; amount: number }[] = [];
  let sum = 0;

  function forget(now: number): void {
    const keep = entries.findIndex((entry) => entry.at > now - windowMs);
    const gone = entries.splice(0, keep < 0 ? entries.length : keep);
    for (const entry of gone) sum -= entry.amount;
    if (entries.length === 0) entries = [];
  }

  return {
    add: (now: number, amount: number) => {
      entries.push({ at: now, amount });
      sum += amount;
    },
    total: (now: number) => {
      forget(now);
      return sum;
    },
  };
}
export type SlidingSum = ReturnType<typeof createSlidingSum>;
