/** The twin's only source of time. All timestamps and rate limits use this clock, so a test can skip an hour. */
export type Clock = ReturnType<typeof createClock>;

function createClock(read: () => number) {
  let offset = 0;
  return {
    now: () => read() + offset,
    advance: (ms: number): void => {
      offset += ms;
    },
  };
}

/** Follows the machine's clock, plus the time by which tests advanced it. */
export const createSystemClock = (): Clock => createClock(Date.now);

/** A clock that changes only when a test advances it. */
export function createManualClock(start: string | number = '2025-01-15T12:00:00Z'): Clock {
  const now = new Date(start).getTime();
  return createClock(() => now);
}

/** GitHub's timestamps are in whole seconds, so two events within one second share a timestamp. */
export function toStamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
