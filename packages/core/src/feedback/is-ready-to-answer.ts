import { isWithin } from '../basics/wait.js';

/** Storms end some time: nobody waits longer than this many quiet times. */
const MAX_WAITS = 6;

/** Lone comments wait until nothing new came for a while; a submitted review is complete and does not wait. */
export function isReadyToAnswer(
  events: readonly { seenAt: number; kind: string }[],
  { now, debounceMs }: { now: number; debounceMs: number },
): boolean {
  if (events.length === 0) return false;
  if (events.some(({ kind }) => kind === 'review_summary')) return true;
  const times = events.map(({ seenAt }) => seenAt);
  const isQuiet = !isWithin(debounceMs, Math.max(...times), now);
  return isQuiet || !isWithin(MAX_WAITS * debounceMs, Math.min(...times), now);
}
