import { isWithin } from '../basics/wait.js';
import type { EventKind, ReviewState } from './remark.js';

/** No comment waits longer than this many debounce periods, however busy the thread is. */
const MAX_WAITS = 6;

type Waiting = { seenAt: number; kind: EventKind; reviewId: number | null };

/**
 * True once MergeXO can answer the comments: after a debounce period without new comments, or as soon as
 * somebody submits a review, because a submitted review is complete. `stateOf` returns the state of a recorded review.
 */
export function isReadyToAnswer(
  events: readonly Waiting[],
  {
    now,
    debounceMs,
    stateOf = () => null,
  }: { now: number; debounceMs: number; stateOf?: (reviewId: number) => ReviewState | null },
): boolean {
  if (events.length === 0) return false;
  if (events.some((event) => isOfSubmittedReview(event, events, stateOf))) return true;
  const times = events.map(({ seenAt }) => seenAt);
  const isQuiet = !isWithin(debounceMs, Math.max(...times), now);
  return isQuiet || !isWithin(MAX_WAITS * debounceMs, Math.min(...times), now);
}

const VERDICTS: readonly (ReviewState | null)[] = ['approved', 'changes_requested'];

/**
 * GitHub wraps each single line comment in a review without text and verdict. Such a review does not end the wait, because
 * more comments may follow. A review with a verdict or with several comments was submitted as a whole.
 */
function isOfSubmittedReview(
  { kind, reviewId }: Waiting,
  events: readonly Waiting[],
  stateOf: (reviewId: number) => ReviewState | null,
): boolean {
  if (kind === 'review_summary') return true;
  if (kind !== 'review' || reviewId === null) return false;
  return (
    VERDICTS.includes(stateOf(reviewId)) || events.filter((other) => other.reviewId === reviewId).length > 1
  );
}
