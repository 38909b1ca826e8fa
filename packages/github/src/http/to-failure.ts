import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';

/** What a request to GitHub ended with, as far as it can be told from Octokit's errors. */
type RequestFailure = {
  status?: number;
  message?: string;
  response?: { headers?: Record<string, unknown>; data?: unknown };
};

/** `reads` is what changes nothing on GitHub, whatever its method. */
export type Asked = { reads: boolean; what: string };

const MINUTE = 60_000;

/** One translation for all errors. A write that may have been applied is never "failed": its outcome is unknown. */
export function toFailure(error: unknown, asked: Asked, now: number): Failure {
  if (error instanceof Failure) return error;
  const { status, message = String(error), response } = describe(error);
  const headers = response?.headers ?? {};
  const cause = { cause: error };
  if (status === 401) {
    return new Failure(
      'unauthorized',
      `GitHub refused the token for ${asked.what}. Is it expired or revoked?`,
      cause,
    );
  }
  const limited = isLimit(status, message, headers) || isGraphLimit(response?.data);
  if (limited || (status === 422 && isTooQuick(response?.data))) {
    const retryAfterMs = computeWait(headers, now);
    return new Failure('rate-limited', `GitHub asks to slow down (${asked.what}).`, {
      ...cause,
      retryAfterMs,
    });
  }
  if (status === 403) return new Failure('unauthorized', `GitHub forbids ${asked.what}: ${message}`, cause);
  if (status === 404 || status === 410)
    return new Failure('not-found', `GitHub knows no ${asked.what}.`, cause);
  if (status === 409 || status === 422) {
    return new Failure('conflict', `GitHub refused ${asked.what}: ${message}`, cause);
  }
  // Octokit reports a dropped connection and a timeout as status 500 too.
  if (!asked.reads) {
    return new Failure('unknown-outcome', `GitHub did not say whether ${asked.what} was applied.`, cause);
  }
  const answered = response === undefined ? undefined : status;
  const why =
    answered === undefined ? `: ${message || findCode(error) || 'no reason was given'}` : ` (${answered})`;
  return new Failure('unavailable', `GitHub did not answer ${asked.what}${why}.`, cause);
}

/** A host with several addresses that all refuse gives an error without a message: the code is deeper. */
function findCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : findCode(error.cause);
}

/** What GitHub answered with; null when no answer came, which Octokit calls a 500. */
export function statusOf({ cause }: Failure): number | null {
  const { status, response } = describe(cause);
  return status === undefined || response === undefined ? null : status;
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

/** The limit on new content is at times worded as a mistake of ours. It is none: the same words are taken later. */
function isTooQuick(data: unknown): boolean {
  const { data: complaints } = Complaints.safeParse(data);
  return (complaints?.errors ?? []).some((error) =>
    /^was submitted too quickly/i.test(typeof error === 'string' ? error : (error.message ?? '')),
  );
}

const GraphErrors = z.object({ errors: z.array(z.object({ type: z.string().optional() })) });

/** GraphQL refuses with status 200. */
function isGraphLimit(data: unknown): boolean {
  const { data: refusal } = GraphErrors.safeParse(data);
  return (refusal?.errors ?? []).some(({ type }) => type === 'RATE_LIMITED');
}

/** As told; without a word of GitHub at least a minute. */
function computeWait(headers: Record<string, unknown>, now: number): number {
  const retryAfter = Number(headers['retry-after']);
  if (Number.isFinite(retryAfter) && retryAfter > 0) return retryAfter * 1_000;
  const reset = Number(headers['x-ratelimit-reset']) * 1_000;
  if (headers['x-ratelimit-remaining'] === '0' && reset > now) return reset - now;
  return MINUTE;
}
