import { ApiError } from '../basics/api-error.js';
import type { Clock } from '../basics/clock.js';
import {
  type Account,
  createAccounts,
  currentWindow,
  type Ledger,
  noteRunning,
  type Resource,
  type Window,
} from './account.js';

export type Limits = {
  primaryPerHour: number;
  pointsPerMinute: number;
  contentPerMinute: number;
  contentPerHour: number;
  concurrent: number;
};

/** GitHub's published numbers for one user. */
export const GITHUB_LIMITS: Limits = {
  primaryPerHour: 5_000,
  pointsPerMinute: 900,
  contentPerMinute: 80,
  contentPerHour: 500,
  concurrent: 100,
};

const DOCS = 'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api';

export type Kind = { write: boolean; content: boolean };
export type Limiter = ReturnType<typeof createLimiter>;

/** Who may still ask. Refuses in GitHub's words, and keeps a ledger of what was asked. */
export function createLimiter(clock: Clock, limits: Limits) {
  const accountOf = createAccounts();
  const windowOf = (userId: number, resource: Resource) =>
    currentWindow(accountOf(userId), resource, clock.now());
  return {
    limits,
    ledger: (userId: number): Ledger => ({ ...accountOf(userId).ledger }),
    /** Throws GitHub's refusal, or counts the request as running; the result ends it. */
    enter(userId: number, resource: Resource, kind: Kind): () => void {
      const account = accountOf(userId);
      const now = clock.now();
      const refusal = findRefusal({ account, window: windowOf(userId, resource), limits, now, kind, userId });
      if (refusal) account.ledger.refused += 1;
      if (refusal) throw refusal;
      noteRunning(account, kind, now);
      return () => {
        account.running -= 1;
      };
    },
    count(userId: number, resource: Resource): void {
      windowOf(userId, resource).used += 1;
      accountOf(userId).ledger.counted += 1;
    },
    countNotModified(userId: number): void {
      accountOf(userId).ledger.notModified += 1;
    },
    state(userId: number, resource: Resource) {
      const { used, resetAtMs } = windowOf(userId, resource);
      const limit = limits.primaryPerHour;
      const reset = Math.ceil(resetAtMs / 1000);
      return { limit, used: Math.min(used, limit), remaining: Math.max(0, limit - used), reset };
    },
    exhaust(userId: number): void {
      windowOf(userId, 'core').used = limits.primaryPerHour;
    },
  };
}

type Question = {
  account: Account;
  window: Window;
  limits: Limits;
  now: number;
  kind: Kind;
  userId: number;
};

function findRefusal({ account, window, limits, now, kind, userId }: Question): ApiError | undefined {
  if (window.used >= limits.primaryPerHour) return primaryLimit(userId);
  if (account.running >= limits.concurrent || account.points.total(now) >= limits.pointsPerMinute)
    return secondaryLimit(403, 60);
  if (!kind.content) return undefined;
  const inMinute = account.contentMinute.total(now) < limits.contentPerMinute;
  if (inMinute && account.contentHour.total(now) < limits.contentPerHour) return undefined;
  return new ApiError(
    403,
    'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.',
    { docs: `${DOCS}#about-secondary-rate-limits`, headers: { 'retry-after': '60' } },
  );
}

function primaryLimit(userId: number): ApiError {
  return new ApiError(403, `API rate limit exceeded for user ID ${userId}.`, { docs: DOCS });
}

export function secondaryLimit(status: number, retryAfterSeconds: number | null): ApiError {
  const message =
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.';
  const headers = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
  return new ApiError(status, message, { docs: `${DOCS}#about-secondary-rate-limits`, headers });
}
