export const DAY_MS = 24 * 3_600_000;

/** Returns the start of the day: midnight UTC, as for the limits. */
export function startOfDay(time: number): number {
  return time - (time % DAY_MS);
}
