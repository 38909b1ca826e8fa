/** Returns true if the poller may record one more refusal about `subject` in this minute. */
export type ReportLimit = (from: string, subject: string) => boolean;

const WINDOW_MS = 60_000;
/** Limits a sender with many subjects, such as old messages about many turns. */
const MAX_SUBJECTS = 10;

/**
 * Limits the records of refused messages, because anybody who can write to Redis can repeat a signed message, and
 * records are kept forever. Kept in memory: a restart allows only a few more records.
 */
export function createReportLimit(monotonicNow: () => number): ReportLimit {
  let startedAt = Number.NEGATIVE_INFINITY;
  const reported = new Map<string, Set<string>>();
  return (from, subject) => {
    if (monotonicNow() - startedAt >= WINDOW_MS) {
      startedAt = monotonicNow();
      reported.clear();
    }
    const subjects = reported.get(from) ?? new Set();
    reported.set(from, subjects);
    if (subjects.has(subject) || subjects.size >= MAX_SUBJECTS) return false;
    subjects.add(subject);
    return true;
  };
}
