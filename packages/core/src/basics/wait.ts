/**
 * How long a wait lasts that is stored as wall time. A clock that was set back to before the wait began would stretch it by
 * as much, so such a wait is over: it never lasts longer than its own length.
 */
export function waitLeftMs({ since, until }: { since: number; until: number }, now: number): number {
  return now < since ? 0 : Math.max(0, until - now);
}

/** Whether less than `lengthMs` has passed since then; false where the clock was set back to before it. */
export function isWithin(lengthMs: number, since: number, now: number): boolean {
  return waitLeftMs({ since, until: since + lengthMs }, now) > 0;
}
