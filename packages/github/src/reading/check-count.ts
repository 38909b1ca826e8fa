import { Failure, isWithin } from '@mergexo/core/basics';

/**
 * Far longer than GitHub's lists lag. GitHub hides comments by flagged authors, so comments that are still
 * missing after this time will never be listed.
 */
const HIDDEN_AFTER_MS = 600_000;

export type CheckCount = (what: string, listed: number, counted: number) => void;

type Short = {
  missing: number;
  /** When the list became shorter than its count without the hidden comments; null while it is not. */
  since: number | null;
  hidden: number;
};

/**
 * Throws if a list is shorter than GitHub's own count, until the list has had time to catch up. Only a list that catches
 * up in part restarts that time. More missing comments do not, so nobody can extend it by posting hidden comments.
 */
export function createCountCheck(now: () => number): CheckCount {
  const short = new Map<string, Short>();
  return (what, listed, counted) => {
    const missing = counted - listed;
    if (missing <= 0) {
      short.delete(what);
      return;
    }
    const known = short.get(what) ?? { missing: 0, since: null, hidden: 0 };
    if (missing <= known.hidden) {
      short.set(what, { ...known, missing, since: null });
      return;
    }
    const since = known.since !== null && missing >= known.missing ? known.since : now();
    const isLate = isWithin(HIDDEN_AFTER_MS, since, now());
    if (!isLate) {
      short.set(what, { missing, since: null, hidden: missing });
      return;
    }
    short.set(what, { missing, since, hidden: known.hidden });
    throw new Failure(
      'unavailable',
      `GitHub lists ${listed} of ${counted} ${what}. MergeXO reads the list again.`,
    );
  };
}
