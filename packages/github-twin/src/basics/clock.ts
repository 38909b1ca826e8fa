/** The twin's only source of time. Every stamp, window and limit follows it, so a test can move an hour ahead. */
export type Clock = { now(): number; advance(ms: number): void };

/** Runs with the machine's clock, plus whatever was advanced. */
export function createSystemClock(): Clock {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    advance: (ms) => {
      offset += ms;
    },
  };
}

/** Stands still until it is advanced. */
export function createManualClock(start: string | number = '2025-01-15T12:00:00Z'): Clock {
  let now = new Date(start).getTime();
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}

/** GitHub's stamps have whole seconds: two events of one second cannot be told apart by them. */
export function toStamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
