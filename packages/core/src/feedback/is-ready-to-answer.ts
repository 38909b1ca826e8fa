import { isWithin } from '../basics/wait.js';

/** No comment waits longer than this many debounce periods, however busy the thread is. */
const MAX_WAITS = 6;

/**
 * True once MergeXO can answer the comments: after a debounce period without new comments, or as soon as
 * somebody submits a review, because a submitted review is complete.
 */
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
