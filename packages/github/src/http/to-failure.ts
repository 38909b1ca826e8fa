import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';

/** The fields of Octokit's errors that describe how a request ended. */
type RequestFailure = {
  status?: number;
  message?: string;
  response?: { headers?: Record<string, unknown>; data?: unknown };
};

/** `reads`: true if the request changes nothing on GitHub, whatever its method. */
export type Asked = { reads: boolean; what: string };

const MINUTE = 60_000;

/** Translates every error into a `Failure`. A write that GitHub may have applied gets the kind 'unknown-outcome'. */
export function toFailure(error: unknown, asked: Asked, now: number): Failure {
  if (error instanceof Failure) return error;
  const { status, message = String(error), response } = describe(error);
  const headers = response?.headers ?? {};
  const cause = { cause: error };
  if (status === 401) {
    return new Failure(
      'unauthorized',
      `GitHub rejected the token for ${asked.what}. Check whether it has expired or was revoked.`,
      cause,
    );
  }
  const limited = isLimit(status, message, headers) || isGraphLimit(response?.data);
  if (limited || (status === 422 && isTooQuick(response?.data))) {
    const retryAfterMs = computeWait(headers, now);
    return new Failure(
      'rate-limited',
      `GitHub's rate limit was reached (${asked.what}). MergeXO waits and retries.`,
      {
        ...cause,
        retryAfterMs,
      },
    );
  }
  if (status === 403)
    return new Failure('unauthorized', `GitHub denied access to ${asked.what}: ${message}`, cause);
  if (status === 404 || status === 410)
    return new Failure('not-found', `GitHub responded to ${asked.what} with 404 Not Found.`, cause);
  // A 400, such as "Problems parsing JSON", is final too: GitHub did not read the write, and would not read it again.
  const isUnread = status === 400 && !asked.reads && response !== undefined;
  if (status === 409 || status === 422 || isUnread) {
    return new Failure('conflict', `GitHub rejected ${asked.what}: ${message}`, cause);
  }
  // The write may have been applied, because Octokit also reports dropped connections and timeouts as status 500.
  if (!asked.reads) {
    return new Failure('unknown-outcome', `GitHub did not say whether ${asked.what} was applied.`, cause);
  }
  const answered = response === undefined ? undefined : status;
  const why =
    answered === undefined ? `: ${message || findCode(error) || 'no reason was given'}` : ` (${answered})`;
  return new Failure('unavailable', `GitHub did not respond to ${asked.what}${why}.`, cause);
}

/** Finds the code in the chain of causes. If all addresses of a host refuse a connection, the error has no message. */
function findCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : findCode(error.cause);
}

/** Returns the HTTP status of GitHub's response; null if GitHub did not respond, which Octokit reports as 500. */
export function statusOf({ cause }: Failure): number | null {
  return statusOfError(cause);
}

/** Like `statusOf`, for an error of Octokit. */
export function statusOfError(error: unknown): number | null {
  const { status, response } = describe(error);
  return status === undefined || response === undefined ? null : status;
}

/**
 * True if GitHub says that a thread is locked. Reads only GitHub's own words: a failure's message has the URL, and a
 * repository may be called `door-lock`.
 */
export function isLocked({ cause }: Failure): boolean {
  return /(?<![\w`'"/-])lock(ed)?(?![\w`'"/-])/i.test(describe(cause).message ?? '');
}

function describe(error: unknown): RequestFailure {
  return typeof error === 'object' && error !== null ? error : { message: String(error) };
}

function isLimit(status: number | undefined, message: string, headers: Record<string, unknown>): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return /secondary rate|rate limit|abuse/i.test(message) || headers['x-ratelimit-remaining'] === '0';
}

const Complaints = z.object({
  errors: z.array(z.union([z.string(), z.object({ message: z.string().optional() })])),
});

/** True if content was posted too quickly. GitHub reports a validation error, but accepts the same text later. */
function isTooQuick(data: unknown): boolean {
  const { data: complaints } = Complaints.safeParse(data);
  return (complaints?.errors ?? []).some((error) =>
    /^was submitted too quickly/i.test(typeof error === 'string' ? error : (error.message ?? '')),
  );
}

const GraphErrors = z.object({ errors: z.array(z.object({ type: z.string().optional() })) });

/** True for a GraphQL rate limit, which GitHub reports with status 200. */
function isGraphLimit(data: unknown): boolean {
  const { data: refusal } = GraphErrors.safeParse(data);
  return (refusal?.errors ?? []).some(({ type }) => type === 'RATE_LIMITED');
}

/** Returns the wait that GitHub's headers ask for, or a minute if they ask for none. */
function computeWait(headers: Record<string, unknown>, now: number): number {
  const retryAfter = Number(headers['retry-after']);
  if (Number.isFinite(retryAfter) && retryAfter > 0) return retryAfter * 1_000;
  const reset = Number(headers['x-ratelimit-reset']) * 1_000;
  if (headers['x-ratelimit-remaining'] === '0' && reset > now) return reset - now;
  return MINUTE;
}
