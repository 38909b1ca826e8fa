import { Failure, isWithin } from '@mergexo/core/basics';

/** Far longer than any list lags. What is missing then stays so: GitHub hides what accounts wrote that it flagged. */
const HIDDEN_AFTER_MS = 600_000;

export type CheckCount = (what: string, listed: number, counted: number) => void;

/** Throws while a list that is shorter than its count may still catch up. */
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
      throw new Failure('unavailable', `GitHub lists ${listed} of ${counted} ${what}. It is read again.`);
  };
}
