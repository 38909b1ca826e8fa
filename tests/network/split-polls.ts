import type { Interval } from './critical-path.js';

/**
 * Groups requests into polls: a poll ends where no request runs for `pauseMs`. Leaves out the first and the last group,
 * because the requests may begin or end in the middle of a poll.
 */
export function splitPolls<T extends Interval>(requests: readonly T[], pauseMs: number): T[][] {
  const polls: T[][] = [];
  let busyUntil = Number.NEGATIVE_INFINITY;
  for (const request of [...requests].sort((a, b) => a.startMs - b.startMs)) {
    if (request.startMs - busyUntil >= pauseMs) polls.push([]);
    polls.at(-1)?.push(request);
    busyUntil = Math.max(busyUntil, request.endMs);
  }
  return polls.slice(1, -1);
}
