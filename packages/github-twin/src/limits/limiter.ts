import { ApiError } from '../basics/api-error.js';
import type { Clock } from '../basics/clock.js';

/** GitHub's published limits per account. */
export const GITHUB_LIMITS = {
  primaryPerHour: 5_000,
  pointsPerMinute: 900,
  contentPerMinute: 80,
  contentPerHour: 500,
  concurrent: 100,
};
export type Limits = typeof GITHUB_LIMITS;

const HOUR = 3_600_000;
const MINUTE = 60_000;
const DOCS = 'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api';

/** Requests that notify people. GitHub limits them more strictly than other writes. */
const CONTENT = new Set([
  'POST /repos/{owner}/{repo}/issues',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'POST /repos/{owner}/{repo}/pulls',
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments',
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies',
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events',
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers',
  'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
]);

export type Resource = 'core' | 'graphql';
/** An account with its own rate limit: a user, or an App's installation. */
export type Payer = { kind: 'user' | 'installation'; id: number; extraPerHour: number };
/** `route` is the REST route, or `POST /graphql` for a mutation. */
export type Asked = { payer: Payer; resource: Resource; write: boolean; route: string };
export type Limiter = ReturnType<typeof createLimiter>;
type Account = ReturnType<typeof createAccount>;

/** Counts the requests of each account, and rejects those above the limits with GitHub's messages. */
export function createLimiter(clock: Clock, limits: Limits) {
  const accounts = new Map<number, Account>();
  /** All tokens of a user or of an installation share one account, as on GitHub. Their ids never collide. */
  const accountOf = (id: number) => {
    const account = accounts.get(id) ?? createAccount();
    accounts.set(id, account);
    return account;
  };
  /** Returns the current one-hour window. A new window begins with the first request after the previous one ended. */
  const windowOf = (id: number, resource: Resource) => {
    const window = accountOf(id).windows[resource];
    if (clock.now() >= window.resetAtMs) Object.assign(window, { used: 0, resetAtMs: clock.now() + HOUR });
    return window;
  };
  return {
    /** Number of an account's requests that counted towards a limit. */
    ledger: (id: number) => ({ counted: accountOf(id).counted }),
    /** Throws if a limit is exceeded. Otherwise the request counts as running until the returned function is called. */
    enter(asked: Asked): () => void {
      const { kind, id, extraPerHour } = asked.payer;
      const account = accountOf(id);
      const used = windowOf(id, asked.resource).used;
      const refusal =
        used >= limits.primaryPerHour + extraPerHour
          ? new ApiError(403, `API rate limit exceeded for ${kind} ID ${id}.`, { docs: DOCS })
          : findSecondaryRefusal(account, limits, { now: clock.now(), route: asked.route });
      if (refusal) throw refusal;
      noteRunning(account, asked, clock.now());
      return () => {
        account.running -= 1;
      };
    },
    count({ id }: Payer, resource: Resource): void {
      windowOf(id, resource).used += 1;
      accountOf(id).counted += 1;
    },
    state({ id, extraPerHour }: Payer, resource: Resource) {
      const { used, resetAtMs } = windowOf(id, resource);
      const limit = limits.primaryPerHour + extraPerHour;
      const reset = Math.ceil(resetAtMs / 1000);
      return { limit, used: Math.min(used, limit), remaining: Math.max(0, limit - used), reset };
    },
    exhaust({ id, extraPerHour }: Payer): void {
      windowOf(id, 'core').used = limits.primaryPerHour + extraPerHour;
    },
  };
}

function createAccount() {
  return {
    windows: { core: { used: 0, resetAtMs: 0 }, graphql: { used: 0, resetAtMs: 0 } },
    points: createSlidingSum(MINUTE),
    contentMinute: createSlidingSum(MINUTE),
    contentHour: createSlidingSum(HOUR),
    running: 0,
    counted: 0,
  };
}

/** Adds a running request. In the secondary limit, a read costs one point and a write five. */
function noteRunning(account: Account, { write, route }: Asked, now: number): void {
  account.points.add(now, write ? 5 : 1);
  if (CONTENT.has(route)) for (const sum of [account.contentMinute, account.contentHour]) sum.add(now, 1);
  account.running += 1;
}

function findSecondaryRefusal(
  account: Account,
  limits: Limits,
  { now, route }: { now: number; route: string },
) {
  if (account.running >= limits.concurrent || account.points.total(now) >= limits.pointsPerMinute)
    return secondaryLimit(403, 60);
  if (!CONTENT.has(route)) return undefined;
  const inMinute = account.contentMinute.total(now) < limits.contentPerMinute;
  if (inMinute && account.contentHour.total(now) < limits.contentPerHour) return undefined;
  return secondaryLimit(403, 60, CONTENT_BLOCKED);
}

const CONTENT_BLOCKED =
  'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.';
const BLOCKED =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.';

export function secondaryLimit(
  status: number,
  retryAfterSeconds: number | null,
  message = BLOCKED,
): ApiError {
  const headers = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
  return new ApiError(status, message, { docs: `${DOCS}#about-secondary-rate-limits`, headers });
}

/** Sums the amounts that were added within the last `windowMs`. */
export function createSlidingSum(windowMs: number) {
  const entries: { at: number; amount: number }[] = [];
  let sum = 0;
  return {
    add: (now: number, amount: number) => {
      entries.push({ at: now, amount });
      sum += amount;
    },
    total: (now: number) => {
      const keep = entries.findIndex((entry) => entry.at > now - windowMs);
      for (const { amount } of entries.splice(0, keep < 0 ? entries.length : keep)) sum -= amount;
      return sum;
    },
  };
}
