import type { Failure, Log } from '@mergexo/core/basics';
import { throttling } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';
import { type RateLimit, readRateLimit } from './rate-limit.js';
import { toFailure } from './to-failure.js';

const REQUEST_TIMEOUT_MS = 30_000;
const API_VERSION = '2022-11-28';

export type Connection = {
  apiUrl: string;
  /** Asked for before every request, so that a token may be renewed. */
  token: () => Promise<string>;
  /** `owner/name` of every repository that may be written to. */
  writable: readonly string[];
  userAgent: string;
  /** Off for a loopback API only: GitHub's own pace is a second between writes, three between notifications. */
  throttled: boolean;
  now: () => number;
  log: Log;
  /** Told with every answer that says it, also with those that cost nothing. */
  onRateLimit?: (limit: RateLimit) => void;
  /** Told how every request ended; without a failure GitHub answered it. Must not throw. */
  onOutcome?: (failure: Failure | undefined) => void;
  /** 30 s unless a test is in a hurry. */
  timeoutMs?: number;
};

export type Query = Readonly<Record<string, string | number | undefined>>;

export type Sending = {
  body?: object;
  query?: Query;
  etag?: string | null;
  /** An address that the answer sends us to is not followed: our token is for GitHub alone. */
  stay?: boolean;
  /** A POST that changes nothing, as questions to GraphQL do. */
  reads?: boolean;
};

export type Sent = {
  status: number;
  data: unknown;
  headers: { etag?: string | undefined; link?: string | undefined; location?: string | undefined };
};

/** Undefined when nothing changed since the ETag was given. */
export type Send = (method: string, path: string, sending?: Sending) => Promise<Sent | undefined>;

const Throttled = Octokit.plugin(throttling);

/** The one way to GitHub: one timeout, one translation of errors, and nothing that is ever repeated. */
export function createSend(connection: Connection): Send {
  const octokit = createOctokit(connection);
  const noteLimit = (headers: unknown): void => {
    const limit = readRateLimit(headers);
    if (limit !== undefined) connection.onRateLimit?.(limit);
  };

  return async (method, path, { body, query = {}, etag, stay = false, reads = method === 'GET' } = {}) => {
    try {
      const authorization = `token ${await connection.token()}`;
      const response = await octokit.request(`${method} ${withQuery(path, query)}`, {
        ...body,
        headers: {
          authorization,
          'x-github-api-version': API_VERSION,
          ...(etag ? { 'if-none-match': etag } : {}),
        },
        request: { signal: timeoutOf(connection), ...(stay ? { redirect: 'manual' } : {}) },
      });
      noteLimit(response.headers);
      connection.onOutcome?.(undefined);
      return response;
    } catch (error) {
      noteLimit(headersOf(error));
      const failure = isNotModified(error)
        ? undefined
        : toFailure(error, { reads, what: `${method} ${path}` }, connection.now());
      connection.onOutcome?.(failure);
      if (failure === undefined) return undefined;
      throw failure;
    }
  };
}

export const timeoutOf = ({ timeoutMs = REQUEST_TIMEOUT_MS }: Connection) => AbortSignal.timeout(timeoutMs);

function createOctokit({ apiUrl, userAgent, throttled, log }: Connection) {
  return new Throttled({
    baseUrl: apiUrl.replace(/\/$/, ''),
    userAgent,
    log: { debug: () => {}, info: () => {}, warn: warn(log), error: warn(log) },
    throttle: {
      enabled: throttled,
      // A waiting request would hold all others up; the caller waits instead, and does other things meanwhile.
      onRateLimit: () => false,
      onSecondaryRateLimit: () => false,
    },
  });
}

const warn = (log: Log) => (message: string) => log.debug({ octokit: message }, 'octokit');

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  );
  const text = new URLSearchParams(Object.fromEntries(given)).toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

function isNotModified(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === 304;
}

/** "Not modified" and refusals come as errors, and say it too. */
function headersOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('response' in error)) return undefined;
  const { response } = error;
  return typeof response === 'object' && response !== null && 'headers' in response
    ? response.headers
    : undefined;
}
