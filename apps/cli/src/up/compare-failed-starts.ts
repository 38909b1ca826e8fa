export type FailedStart = { reason: string; delayMs: number };

/**
 * `new`: the reason must be told. `repeated`: only the next try is news. `same`: nothing is, because the longest delay is
 * reached and the line would be the one before.
 */
export function compareFailedStarts(
  before: FailedStart | undefined,
  now: FailedStart,
): 'new' | 'repeated' | 'same' {
  if (before === undefined || before.reason !== now.reason) return 'new';
  return before.delayMs === now.delayMs ? 'same' : 'repeated';
}
