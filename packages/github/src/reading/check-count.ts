import { Failure, isWithin } from '@mergexo/core/basics';

/**
 * Far longer than GitHub's lists lag. GitHub hides comments by flagged authors, so comments that are still
 * missing after this time will never be listed.
 */
const HIDDEN_AFTER_MS = 600_000;

export type CheckCount = (what: string, listed: number, counted: number) => void;

/**
 * Throws if a list is shorter than GitHub's own count, until the list has had time to catch up. New comments do not
 * restart that time while the same number is missing, so nobody can extend it by commenting.
 */
export function createCountCheck(now: () => number): CheckCount {
  const short = new Map<string, { missing: number; since: number; hidden: number }>();
  return (what, listed, counted) => {
    const missing = counted - listed;
    if (missing <= 0) {
      short.delete(what);
      return;
    }
    const known = short.get(what);
    const hidden = known?.hidden ?? 0;
    if (missing <= hidden) return;
    const since = known?.missing === missing ? known.since : now();
    const isLate = isWithin(HIDDEN_AFTER_MS, since, now());
    short.set(what, { missing, since, hidden: isLate ? hidden : missing });
    if (isLate)
      throw new Failure(
        'unavailable',
        `GitHub lists ${listed} of ${counted} ${what}. MergeXO reads the list again.`,
      );
  };
}
