import { createSlidingSum, type SlidingSum } from './sliding-sum.js';

export type Resource = 'core' | 'graphql';
export type Window = { used: number; resetAtMs: number };
/** What a checker wants to know about one user's requests. */
export type Ledger = {
  counted: number;
  notModified: number;
  refused: number;
  peakConcurrency: number;
  writes: number;
};
export type Account = {
  windows: Record<Resource, Window>;
  points: SlidingSum;
  contentMinute: SlidingSum;
  contentHour: SlidingSum;
  running: number;
  ledger: Ledger;
};

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** One account per user: all tokens of a user share it, as on GitHub. */
export function createAccounts(): (userId: number) => Account {
  const accounts = new Map<number, Account>();
  return (userId) => {
    const known = accounts.get(userId);
    if (known) return known;
    const fresh: Account = {
      windows: { core: { used: 0, resetAtMs: 0 }, graphql: { used: 0, resetAtMs: 0 } },
      points: createSlidingSum(MINUTE),
      contentMinute: createSlidingSum(MINUTE),
      contentHour: createSlidingSum(HOUR),
      running: 0,
      ledger: { counted: 0, notModified: 0, refused: 0, peakConcurrency: 0, writes: 0 },
    };
    accounts.set(userId, fresh);
    return fresh;
  };
}

/** An hour that begins with its first request. */
export function currentWindow(account: Account, resource: Resource, now: number): Window {
  const window = account.windows[resource];
  if (now >= window.resetAtMs) Object.assign(window, { used: 0, resetAtMs: now + HOUR });
  return window;
}

/** Reads cost one point of the secondary limit, writes five. */
export function noteRunning(account: Account, kind: { write: boolean; content: boolean }, now: number): void {
  account.points.add(now, kind.write ? 5 : 1);
  if (kind.content) account.contentMinute.add(now, 1);
  if (kind.content) account.contentHour.add(now, 1);
  if (kind.write) account.ledger.writes += 1;
  account.running += 1;
  account.ledger.peakConcurrency = Math.max(account.ledger.peakConcurrency, account.running);
}
