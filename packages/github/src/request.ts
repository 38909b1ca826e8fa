import { Failure, type FailureKind, type Log } from '@mergexo/core';
import { throttling } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';
import { z } from 'zod';
import { readAll } from './pages.js';
import { type RateLimit, readRateLimit } from './rate-limit.js';
import { toFailure } from './to-failure.js';

export const REQUEST_TIMEOUT_MS = 30_000;
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
  /** 30 s unless a test is in a hurry. */
  timeoutMs?: number;
};

export type Answer<T> = { status: number; data: T; etag: string | null; next: string | null };

export type Requests = {
  get<S extends z.ZodType>(path: string, schema: S, options?: GetOptions): Promise<Answer<z.infer<S>>>;
  /** Undefined when nothing changed since the ETag was given. */
  getIfChanged<S extends z.ZodType>(
    path: string,
    schema: S,
    options: GetOptions,
  ): Promise<Answer<z.infer<S>> | undefined>;
  /** Every page, in order, as they were at one moment; 'unavailable' when they changed meanwhile. */
  getAll<S extends z.ZodType>(path: string, row: S, query?: Query): Promise<z.infer<S>[]>;
  write<S extends z.ZodType>(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    schema: S,
    body: object,
  ): Promise<z.infer<S>>;
};

export type Query = Readonly<Record<string, string | number | undefined>>;
type GetOptions = { query?: Query; etag?: string | null };

const Throttled = Octokit.plugin(throttling);

/** The one way to GitHub: one timeout, one translation of errors, answers checked, and no write that is ever repeated. */
export function createRequests(connection: Connection): Requests {
  const { apiUrl, log, now } = connection;
  const octokit = new Throttled({
    baseUrl: apiUrl.replace(/\/$/, ''),
    userAgent: connection.userAgent,
    log: { debug: () => {}, info: () => {}, warn: warn(log), error: warn(log) },
    throttle: {
      enabled: connection.throttled,
      // A waiting request would hold all others up; the caller waits instead, and does other things meanwhile.
      onRateLimit: () => false,
      onSecondaryRateLimit: () => false,
    },
  });

  const noteLimit = (headers: unknown): void => {
    const limit = readRateLimit(headers);
    if (limit !== undefined) connection.onRateLimit?.(limit);
  };

  const send = async (
    method: string,
    path: string,
    fields: { body?: object; query?: Query; etag?: string | null },
  ) => {
    const authorization = `token ${await connection.token()}`;
    const url = withQuery(path, fields.query ?? {});
    try {
      const response = await octokit.request(`${method} ${url}`, {
        ...fields.body,
        headers: {
          authorization,
          'x-github-api-version': API_VERSION,
          ...(fields.etag ? { 'if-none-match': fields.etag } : {}),
        },
        request: { signal: AbortSignal.timeout(connection.timeoutMs ?? REQUEST_TIMEOUT_MS) },
      });
      noteLimit(response.headers);
      return response;
    } catch (error) {
      noteLimit(headersOf(error));
      if (isNotModified(error)) return undefined;
      throw toFailure(error, { method, what: `${method} ${path}` }, now());
    }
  };

  const getIfChanged: Requests['getIfChanged'] = async (path, schema, options) => {
    const response = await send('GET', path, options);
    if (response === undefined) return undefined;
    const { etag, link } = response.headers;
    return {
      status: response.status,
      data: check(schema, response.data, `GET ${path}`),
      etag: etag ?? null,
      next: findNext(link, apiUrl),
    };
  };

  const get: Requests['get'] = async (path, schema, options = {}) => {
    const answer = await getIfChanged(path, schema, { ...options, etag: null });
    if (answer === undefined)
      throw new Failure('invalid-data', `GitHub answered GET ${path} with "not modified".`);
    return answer;
  };

  return {
    get,
    getIfChanged,
    getAll: (path, row, query = {}) => readAll({ get, getIfChanged }, path, row, query),
    async write(method, path, schema, body) {
      refuseForeign(connection, path);
      const response = await send(method, path, { body });
      // The status said yes, but the answer is unreadable: it may well be there.
      return check(schema, response?.data, `${method} ${path}`, 'unknown-outcome');
    },
  };
}

/** The allow-list is checked here, so no caller can forget it. */
function refuseForeign({ writable }: Connection, path: string): void {
  const [, owner, name] = /^\/repos\/([^/]+)\/([^/]+)\//.exec(path) ?? [];
  const target = `${owner}/${name}`.toLowerCase();
  if (writable.some((repo) => repo.toLowerCase() === target)) return;
  throw new Error(`refused to write to ${target}: it is not configured`);
}

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  );
  const text = new URLSearchParams(Object.fromEntries(given)).toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

function check<S extends z.ZodType>(
  schema: S,
  data: unknown,
  what: string,
  otherwise: FailureKind = 'invalid-data',
): z.infer<S> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new Failure(
    otherwise,
    `GitHub answered ${what} with something else: ${z.prettifyError(parsed.error)}`,
  );
}

/** Only ever another page of the same API: a link elsewhere would get our token. */
function findNext(link: string | undefined, apiUrl: string): string | null {
  const [, target] = /<([^>]+)>;\s*rel="next"/.exec(link ?? '') ?? [];
  if (target === undefined) return null;
  const base = apiUrl.replace(/\/$/, '');
  if (!target.startsWith(`${base}/`))
    throw new Failure('invalid-data', 'GitHub linked a page of another server.');
  return target.slice(base.length);
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

const warn = (log: Log) => (message: string) => log.debug({ octokit: message }, 'octokit');
