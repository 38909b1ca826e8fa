export type Interval = { startMs: number; endMs: number };

/**
 * Returns the longest chain in which each request starts only after the previous one ended. Requests that end after
 * `untilMs` are left out. Each request in the chain adds its latency to the total time.
 */
export function findCriticalPath<T extends Interval>(requests: readonly T[], untilMs: number): T[] {
  const chain: T[] = [];
  // Of the requests that could be next, the request that ends first leaves the most time for others.
  const byEnd = requests.filter(({ endMs }) => endMs <= untilMs).sort((a, b) => a.endMs - b.endMs);
  for (const request of byEnd) {
    const last = chain.at(-1);
    if (last === undefined || request.startMs >= last.endMs) chain.push(request);
  }
  return chain;
}
