/**
 * Returns the remaining time of a wait that is stored as wall-clock time. If the clock was set back to before `since`,
 * the wait is over; otherwise it would last longer than planned.
 */
export function remainingWaitMs({ since, until }: { since: number; until: number }, now: number): number {
  return now < since ? 0 : Math.max(0, until - now);
}

/** True if less than `lengthMs` has passed since `since`. False if the clock was set back to before `since`. */
export function isWithin(lengthMs: number, since: number, now: number): boolean {
  return remainingWaitMs({ since, until: since + lengthMs }, now) > 0;
}
