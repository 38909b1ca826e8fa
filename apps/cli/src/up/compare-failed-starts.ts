export type FailedStart = { reason: string; delayMs: number };

/**
 * Compares two failed starts. `new`: print the reason. `repeated`: print only the new delay. `same`: print nothing,
 * because the delay has reached its maximum and the line would be identical.
 */
export function compareFailedStarts(
  before: FailedStart | undefined,
  now: FailedStart,
): 'new' | 'repeated' | 'same' {
  if (before === undefined || before.reason !== now.reason) return 'new';
  return before.delayMs === now.delayMs ? 'same' : 'repeated';
}
