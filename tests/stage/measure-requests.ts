import type { Stage } from './stage.js';

/** Counts the requests that `work` makes: all of them, and those that count against the rate limit. */
export async function measureRequests({ twin }: Stage, work: () => Promise<unknown>) {
  const before = twin.history.list('request').length;
  const { counted } = twin.control.ledger('robot');
  await work();
  const made = twin.history.list('request').slice(before);
  return {
    total: made.length,
    counted: twin.control.ledger('robot').counted - counted,
    list: made.map(({ method, path, status }) => `${status} ${method} ${path}`),
  };
}

/** Shows the requests if there are too many. */
export function expectAtMost(limit: number, requests: readonly string[]): void {
  expect(requests.length > limit ? requests : []).toEqual([]);
}
