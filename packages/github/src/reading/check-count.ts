import { Failure, isWithin } from '@mergexo/core/basics';

/**
 * Far longer than any list lags. GitHub hides comments of flagged authors, so comments that are still missing by then
 * will never be listed.
 */
const HIDDEN_AFTER_MS = 600_000;

export type CheckCount = (what: string, listed: number, counted: number) => void;

/** Throws if a list is shorter than GitHub's own count, until the list has had time to catch up. */
export function createCountCheck(now: () => number): CheckCount {
  const short = new Map<string, { listed: number; counted: number; since: number }>();
  return (what, listed, counted) => {
    if (listed >= counted) {
      short.delete(what);
      return;
    }
    const known = short.get(what);
    const since = known?.listed === listed && known.counted === counted ? known.since : now();
    short.set(what, { listed, counted, since });
    if (isWithin(HIDDEN_AFTER_MS, since, now()))
      throw new Failure(
        'unavailable',
        `GitHub lists ${listed} of ${counted} ${what}. MergeXO reads the list again.`,
      );
  };
}
